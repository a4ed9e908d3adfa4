import { formatCents, usdToCents } from '#contracts/values/money.ts';

export const formatUsd = (usd: number) => formatCents(usdToCents(usd));

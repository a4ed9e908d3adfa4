/** All that other features may use of DNS. */
export { zoneWriteAttention } from './attention.repo.ts';
export { dnsRoutes } from './dns.routes.ts';
export { createDns, type DnsApi } from './dns.service.ts';
export { eraseZoneAuthors, eraseZones } from './privacy.repo.ts';

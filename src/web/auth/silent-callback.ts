import '../lib/no-eval.ts';
import { answerParentFrame } from '../lib/oidc.ts';

// This page loads in a hidden frame of our own pages only, at the end of a silent sign-in.
void answerParentFrame();

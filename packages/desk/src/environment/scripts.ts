/** @file Baseline agents for a desk. Their score is the floor. */

import type { Script } from '@ludus-agents/kernel/internal/core/index';

/** Answers without acting. */
export const doNothing: Script = () => ({ text: 'Thank you for your message. We have noted it.' });

/** Refuses every request. */
export const alwaysRefuse: Script = () => ({ text: 'I am sorry, I cannot do that.' });

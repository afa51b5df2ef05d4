/** @file Baseline agents for a desk. Their score is the floor. */

import type { Script } from '@ludus-agents/kernel/internal/core/index';

/** Answers, and does nothing. */
export const doNothing: Script = () => ({ text: 'Thank you for your message. We have noted it.' });

/** Refuses whatever it is asked. */
export const alwaysRefuse: Script = () => ({ text: 'I am sorry, I cannot do that.' });

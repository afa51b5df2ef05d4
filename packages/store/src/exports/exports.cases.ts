/** @file Helpers of the tests of exports. */

import type { JsonObject } from '@ludus-agents/kernel/internal/core/index';
import type { EvalSplit } from './index.ts';

export const whole: EvalSplit = { evalShare: 0, seed: 0 };

export const messagesIn = (row: JsonObject, column: string) => row[column] as readonly JsonObject[];

/** @file What agents of this house are handed wherever they are cast: models by name, and tools. */

import type { Hands } from '../agents/index.ts';
import { modelOf } from '../models/index.ts';
import { tools } from './tools.ts';

export const hands: Hands = { model: modelOf, tools };

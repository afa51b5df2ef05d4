/** @file Reads texts from outside. */

import { Fault, type Json, sentenceOf } from './index.ts';

/** Reads JSON, saying where it came from when it is none. */
export function jsonFrom(text: string, where: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch (thrown) {
    throw new Fault('input', `${where} must be JSON, but is not: ${sentenceOf(thrown)}.`, { code: 'E_INVALID_JSON', details: { where } });
  }
}

/** @file Parses external texts. */

import { Fault, type Json, sentenceOf } from './index.ts';

/** Parses JSON; the error names its source. */
export function jsonFrom(text: string, where: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch (thrown) {
    throw new Fault('input', `${where} must be JSON, but is not: ${sentenceOf(thrown)}.`, { code: 'E_INVALID_JSON', details: { where } });
  }
}

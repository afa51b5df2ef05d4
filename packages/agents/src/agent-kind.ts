/** @file The kind of a spec as it is written: "llm:MODEL", "scripted:NAME", "local/RUN@best". It is taken apart here and nowhere else. */

import type { AgentSpec } from '@ludus-agents/kernel/internal/core/index';

export interface ParsedKind {
  readonly kind: string;
  /** What stands after the colon. A run that was trained here follows a slash instead. */
  readonly rest: string | undefined;
}

export function parseKind(written: string): ParsedKind {
  const cut = written.startsWith('local/') ? 'local'.length : written.indexOf(':');
  return cut < 0 ? { kind: written, rest: undefined } : { kind: written.slice(0, cut), rest: written.slice(cut + 1) };
}

/** Whether a language model plays: "llm", or "llm:MODEL". */
export function isLanguageKind(written: string): boolean {
  return parseKind(written).kind === 'llm';
}

/** The model that a language agent names, in "model" or in its kind; undefined where it leaves that to the settings, or is another kind of agent. */
export function namedModel({ kind, model }: Pick<AgentSpec, 'kind' | 'model'>): string | undefined {
  if (model !== undefined) return model;
  const parsed = parseKind(kind);
  return parsed.kind === 'llm' && parsed.rest !== '' ? parsed.rest : undefined;
}

/** A model from a flag, where people also write "llm:MODEL". */
export function modelName(written: string): string {
  const { kind, rest } = parseKind(written);
  return kind === 'llm' && rest !== undefined ? rest : written;
}

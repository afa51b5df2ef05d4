/**
 * @file The audit log: one line of JSON for each request that could change something, each socket, and each refusal. It is
 * append-only.
 *
 * A line contains the id of a token, never the token, and the path of a request, never its query or body.
 */

import { appendFileSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { report } from '@ludus-agents/kernel/internal/core/index';

export interface AuditEntry {
  /** The id of a token, "owner", "anonymous" (this machine, no token needed) or "nobody" (refused). */
  readonly who: string;
  readonly address: string;
  /** "POST", "SOCKET", "token create" … */
  readonly did: string;
  readonly path: string;
  readonly status: number;
  /** The called operation, if one path serves many: "resources/read ludus://episodes/ID". */
  readonly call?: string;
}

export interface AuditLog {
  write(entry: AuditEntry): void;
  /** Writes the remaining lines. */
  close(): void;
}

export function auditFile(folder: string): string {
  return join(folder, '.ludus', 'audit.jsonl');
}

export interface AuditOptions {
  readonly now?: () => Date;
}

/** Opens an audit log. Lines are collected for one turn of the event loop and written together, before sockets are read again. */
export function openAuditLog(file: string, { now = () => new Date() }: AuditOptions = {}): AuditLog {
  let lines = '';
  let due = false;
  const flush = () => {
    due = false;
    if (lines === '') return;
    const text = lines;
    lines = '';
    try {
      mkdirSync(dirname(file), { recursive: true });
      appendFileSync(file, text, { mode: 0o600 });
    } catch (thrown) {
      report('Writing the audit log', thrown);
    }
  };
  return {
    write(entry) {
      lines += `${JSON.stringify({ at: now().toISOString(), ...entry })}\n`;
      if (!due) setImmediate(flush);
      due = true;
    },
    close: flush,
  };
}

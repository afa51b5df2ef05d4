/**
 * @file The audit log: one line of JSON for each request that could change something, each socket and each refusal. Lines are only
 * appended.
 *
 * A line has the id of a token, never the token, and the path of a request, never its query or its body.
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
  /** What was called, where one path serves many calls: "resources/read ludus://episodes/ID". */
  readonly call?: string;
}

export interface AuditLog {
  write(entry: AuditEntry): void;
  /** Writes what is left. */
  close(): void;
}

export function auditFile(folder: string): string {
  return join(folder, '.ludus', 'audit.jsonl');
}

export interface AuditOptions {
  readonly now?: () => Date;
}

/** Opens an audit log. Lines are gathered for a turn of the event loop and written together, before anything else is read from sockets. */
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

/** @file Converts errors outside of Ludus to readable messages: system errors, and exceptions from a user's file. */

import { fileURLToPath } from 'node:url';
import { sentenceOf } from '@ludus-agents/kernel/internal/core/fault';
import { linear } from '@ludus-agents/kernel/internal/core/linear';

/** The folder of our packages, for sources and builds. */
const house = fileURLToPath(new URL('../../../', import.meta.url));

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'permission denied; change the permissions, or use another folder',
  EPERM: 'permission denied; change the permissions, or use another folder',
  EROFS: 'the disk is read-only; use a folder on another disk',
  ENOSPC: 'the disk is full; free some space and run the command again',
  EDQUOT: 'your disk quota is used up; free some space and run the command again',
  EEXIST: 'a file with that name exists; move it, or use another folder',
  ENOTDIR: 'part of the path is a file; use another folder',
  EISDIR: 'it is a folder; name a file in it',
  ENAMETOOLONG: 'the name is too long; use a shorter one',
  EMFILE: 'too many open files; raise the limit ("ulimit -n 4096"), or lower the concurrency',
  ENFILE: 'too many open files on this machine; close some programs, or lower the concurrency',
};

const verbs: Readonly<Record<string, string>> = {
  mkdir: 'made',
  open: 'opened',
  read: 'read',
  scandir: 'read',
  stat: 'read',
  lstat: 'read',
  unlink: 'deleted',
};

/** The message for a system error with a known cause; undefined for all others. */
export function systemSentence(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error)) return undefined;
  const { code = '', syscall, path, dest } = thrown as NodeJS.ErrnoException & { readonly dest?: string };
  const reason = reasons[code];
  // Sockets and programs have their own error calls, with messages where they are used.
  if (reason === undefined || syscall === undefined || /^(connect|listen|bind|spawn|kill)/.test(syscall)) return undefined;
  return `${dest ?? path ?? 'A file'} cannot be ${verbs[syscall] ?? 'written'}: ${reason}.`;
}

/** The message for an error thrown in a user's file, with its line; undefined if the top of its stack is our code or a package's. */
export function ownFileSentence(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error)) return undefined;
  const [, place = '', line] = linear(/^\s+at (?:.* \()?((?:file:\/\/)?\/[^()]+?):(\d+):\d+\)?$/m).exec(thrown.stack ?? '') ?? [];
  const file = place.startsWith('file:') ? fileURLToPath(place.replace(linear(/\?.*$/), '')) : place;
  if (file === '' || file.startsWith(house) || file.includes('/node_modules/')) return undefined;
  const sentence = sentenceOf(thrown);
  return `${file}:${line} failed: ${thrown.name === 'Error' ? '' : `${thrown.name}: `}${sentence}${/[.!?]$/.test(sentence) ? '' : '.'} --debug shows how it was called.`;
}

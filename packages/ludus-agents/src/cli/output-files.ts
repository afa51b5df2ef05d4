/** @file Checks a command's output files before it starts. */

import { accessSync, constants, mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { toDiskFault } from '@ludus-agents/store/internal/files/atomic-file';

const fileOptions = ['output', 'junit', 'markdown', 'html', 'save'];

/** Creates the folders of the output files, and throws if one is not writable: after an hour of play it would be too late. */
export function prepareOutputs(options: Readonly<Record<string, unknown>>, cwd: string): void {
  for (const name of fileOptions) {
    const file = options[name];
    if (typeof file !== 'string' || file === '' || file === '-') continue;
    const path = resolve(cwd, file);
    try {
      const stats = statSync(path, { throwIfNoEntry: false });
      // A device or a pipe is writable, regardless of its folder.
      if (stats !== undefined && !stats.isFile() && !stats.isDirectory()) continue;
      mkdirSync(dirname(path), { recursive: true });
      accessSync(stats?.isDirectory() ? path : dirname(path), constants.W_OK);
    } catch (thrown) {
      throw toDiskFault(thrown, path);
    }
  }
}

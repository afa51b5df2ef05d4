/** @file Files that a command is to write when it is done: that it can is found out before it begins. */

import { accessSync, constants, mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { toDiskFault } from '@ludus-agents/store/internal/files/atomic-file';

const fileOptions = ['output', 'junit', 'markdown', 'html', 'save'];

/** Makes the folders of the files that options name, and throws where one cannot be written: an hour of play later would be too late. */
export function prepareOutputs(options: Readonly<Record<string, unknown>>, cwd: string): void {
  for (const name of fileOptions) {
    const file = options[name];
    if (typeof file !== 'string' || file === '' || file === '-') continue;
    const path = resolve(cwd, file);
    try {
      const stats = statSync(path, { throwIfNoEntry: false });
      // A device or a pipe takes what is written, whatever its folder is.
      if (stats !== undefined && !stats.isFile() && !stats.isDirectory()) continue;
      mkdirSync(dirname(path), { recursive: true });
      accessSync(stats?.isDirectory() ? path : dirname(path), constants.W_OK);
    } catch (thrown) {
      throw toDiskFault(thrown, path);
    }
  }
}

/**
 * @file Sees to it that bubblewrap is there for the tests of the sandbox, and installs it where a machine is ours to set up.
 *
 * Anywhere else nothing is installed: those tests then say what is missing and are skipped. LUDUS_BUBBLEWRAP=skip leaves the machine alone.
 */

import { spawnSync } from 'node:child_process';
import { aptInstall } from './apt.ts';

const here = spawnSync('bwrap', ['--version']).status === 0;
if (process.platform === 'linux' && !here && process.env['LUDUS_BUBBLEWRAP'] !== 'skip')
  aptInstall(['bubblewrap'], 'bubblewrap', 'the tests of the sandbox inside it');

/**
 * @file Checks for bubblewrap, which tests of the sandbox need. Where root runs the tests and there is apt-get, installs it; see apt.ts.
 *
 * Anywhere else nothing is installed: those tests then say what is missing and are skipped. LUDUS_BUBBLEWRAP=skip leaves the machine alone.
 */

import { spawnSync } from 'node:child_process';
import { aptInstall } from './apt.ts';

const here = spawnSync('bwrap', ['--version']).status === 0;
if (process.platform === 'linux' && !here)
  await aptInstall({
    names: ['bubblewrap'],
    title: 'bubblewrap',
    neededBy: 'the tests of the sandbox inside it',
    refusal: 'LUDUS_BUBBLEWRAP',
  });

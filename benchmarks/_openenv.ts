/** @file The OpenEnv door for the benchmark, in a process of its own: its episodes kept in the file that is named, or not at all. */

import { agentOf } from '../src/agents/index.ts';
import { serve } from '../src/servers/app.ts';
import { Lobby } from '../src/servers/lobby.ts';
import { openEnvDoors } from '../src/servers/openenv/door.ts';
import { playbill } from '../src/servers/playbill.ts';
import { serverStore } from '../src/store/index.ts';

const [file] = process.argv.slice(2);
const { worlds } = await playbill(undefined, process.cwd());
const lobby = new Lobby({ worlds, agent: agentOf, store: file === undefined ? null : await serverStore(file) });
const { url } = await serve({ doors: [openEnvDoors({ lobby }).door], noToken: true });
process.stdout.write(`${url}\n`);

/** @file A folder of content as a suite: its cases, or those held out from training where there are some, played by agents on the tested seat. */

import { basename, resolve } from 'node:path';
import { loadContentFolder } from '@ludus-agents/agents/internal/workspace/content-folder';
import type { NamingPlace } from '@ludus-agents/agents/internal/workspace/name-resolvers';
import { type Suite, suite } from './scoring/suites/suite.ts';

export async function loadContentSuite(name: string, place: NamingPlace): Promise<Suite> {
  const world = await loadContentFolder(name, place);
  const { others, reader } = world;
  const { best, pass, scale = [0, 1] } = reader;
  const tasks = world.heldOut.length > 0 ? world.heldOut : world.cases;
  const title = basename(resolve(place.cwd, name))
    .replace(/[^\w.-]+/g, '-')
    .slice(0, 60);
  return suite({
    name: title,
    about: world.about.summary,
    nulls: ['random'],
    scenes: [
      {
        name: title,
        environment: name,
        tasks,
        seats: [world.testedSeats],
        others,
        kinds: { scripted: `scripted:${best}` },
        scale,
        pass,
        also: ['measures', 'form'],
      },
    ],
  });
}

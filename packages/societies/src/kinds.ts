/** @file What societies add: environments of surveys, networks and towns. */

import type { AnyEnvironment } from '@ludus-agents/kernel/internal/core/index';
import { addEntries } from '@ludus-agents/kernel/internal/core/kind-registry';
import '@ludus-agents/evaluation/internal/kinds';

addEntries<AnyEnvironment>('environments', {
  survey: {
    group: 'societies',
    about: 'a person answers a survey: choices, scales, rankings, own words, with skip logic',
    load: async () => (await import('./survey/survey.ts')).survey,
  },
});
addEntries<AnyEnvironment>('environments', {
  network: {
    group: 'societies',
    about: 'news spreads over a network; some decide whether to pass it on',
    load: async () => (await import('./network/network.ts')).network,
  },
  platform: {
    group: 'societies',
    about: 'posts, answers and follows under a recommender; opinions form camps, and a rumour spreads',
    load: async () => (await import('./network/platform.ts')).platform,
  },
});
addEntries<AnyEnvironment>('environments', {
  town: {
    group: 'societies',
    about: 'people of a small town plan their days, meet, and pass news on',
    load: async () => (await import('./town/town.ts')).town,
  },
});

/** @file Every page, one line each, loaded when it is opened. Pages with a `nav` are in the menu, under their group; the first page of a group is its start page. */

import { type ComponentType, type LazyExoticComponent, lazy } from 'react';

/** What a page is given: the parts of its address. */
export interface PageProps {
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
}

export const groups = ['Play', 'Experiments', 'Review', 'Settings'] as const;
export type Group = (typeof groups)[number];

export interface Page {
  readonly path: string;
  readonly title: string;
  readonly nav?: string;
  /** The part of the menu that it belongs to, whether it is in the menu or not. */
  readonly group?: Group;
  readonly page: LazyExoticComponent<ComponentType<PageProps>>;
}

/** A page whose files did not come: the server is gone, or was built anew since this tab was opened. */
export class NotLoaded extends Error {}

/** For `pages` below: the component of that name in a file. */
const from = <K extends string>(load: () => Promise<Readonly<Record<K, ComponentType<PageProps>>>>, name: K) =>
  lazy(async () => {
    try {
      return { default: (await load())[name] };
    } catch (thrown) {
      throw new NotLoaded(String(thrown));
    }
  });

export const pages: readonly Page[] = [
  { path: '/', title: 'Home', page: from(() => import('./pages/home.tsx'), 'HomePage') },
  { path: '/play', title: 'Play', nav: 'New game', group: 'Play', page: from(() => import('./pages/play.tsx'), 'PlayPage') },
  { path: '/e/:id/:at?', title: 'Episode', group: 'Experiments', page: from(() => import('./pages/stage.tsx'), 'StagePage') },
  { path: '/trace/:id/:at?', title: 'Trace', group: 'Experiments', page: from(() => import('./pages/trace.tsx'), 'TracePage') },
  { path: '/seat/:id/:seat', title: 'Game', group: 'Play', page: from(() => import('./pages/seat.tsx'), 'SeatPage') },
  {
    path: '/branches/:left/:right',
    title: 'Compare branches',
    group: 'Experiments',
    page: from(() => import('./pages/branches.tsx'), 'BranchesPage'),
  },
  { path: '/chat/:id?', title: 'Chat', nav: 'Chat', group: 'Play', page: from(() => import('./pages/chat.tsx'), 'ChatPage') },
  {
    path: '/personas',
    title: 'Characters',
    nav: 'Characters',
    group: 'Play',
    page: from(() => import('./pages/personas.tsx'), 'PersonasPage'),
  },
  { path: '/persona/:source/:key', title: 'Character', group: 'Play', page: from(() => import('./pages/persona.tsx'), 'PersonaPage') },
  { path: '/population', title: 'Population', group: 'Play', page: from(() => import('./pages/population.tsx'), 'PopulationPage') },
  {
    path: '/create',
    title: 'New character or scene',
    nav: 'Create',
    group: 'Play',
    page: from(() => import('./pages/create.tsx'), 'CreatePage'),
  },
  { path: '/runs', title: 'Runs', nav: 'Runs', group: 'Experiments', page: from(() => import('./pages/runs.tsx'), 'RunsPage') },
  { path: '/launch', title: 'New run', nav: 'New run', group: 'Experiments', page: from(() => import('./pages/launch.tsx'), 'LaunchPage') },
  { path: '/run/:id', title: 'Run', group: 'Experiments', page: from(() => import('./pages/run.tsx'), 'RunPage') },
  { path: '/review', title: 'Review', nav: 'Review', group: 'Review', page: from(() => import('./pages/review.tsx'), 'ReviewPage') },
  { path: '/compare', title: 'Compare', group: 'Experiments', page: from(() => import('./pages/compare.tsx'), 'ComparePage') },
  { path: '/lesson/:run?', title: 'Training progress', group: 'Experiments', page: from(() => import('./pages/lesson.tsx'), 'LessonPage') },
  {
    path: '/training',
    title: 'Training',
    nav: 'Training',
    group: 'Experiments',
    page: from(() => import('./pages/training.tsx'), 'TrainingPage'),
  },
  {
    path: '/trainings',
    title: 'Compare training runs',
    group: 'Experiments',
    page: from(() => import('./pages/trainings.tsx'), 'TrainingsPage'),
  },
  { path: '/training/:run', title: 'Training run', group: 'Experiments', page: from(() => import('./pages/train.tsx'), 'TrainPage') },
  {
    path: '/improving',
    title: 'Prompt optimization',
    nav: 'Optimize',
    group: 'Experiments',
    page: from(() => import('./pages/improving.tsx'), 'ImprovingPage'),
  },
  {
    path: '/improving/:run',
    title: 'Optimization run',
    group: 'Experiments',
    page: from(() => import('./pages/improve.tsx'), 'ImprovePage'),
  },
  {
    path: '/boards',
    title: 'Leaderboards',
    nav: 'Leaderboards',
    group: 'Experiments',
    page: from(() => import('./pages/boards.tsx'), 'BoardsPage'),
  },
  { path: '/board/:run', title: 'Leaderboard', group: 'Experiments', page: from(() => import('./pages/boards.tsx'), 'BoardPage') },
  { path: '/models', title: 'Models', nav: 'Models', group: 'Settings', page: from(() => import('./pages/models.tsx'), 'ModelsPage') },
  { path: '/fleet', title: 'Workers', nav: 'Workers', group: 'Settings', page: from(() => import('./pages/fleet.tsx'), 'FleetPage') },
];

/** @file Every page, one line each, loaded when it is opened. What has a `nav` stands in the menu. */

import { type ComponentType, type LazyExoticComponent, lazy } from 'react';

/** What a page is given: the parts of its address. */
export interface PageProps {
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
}

export interface Page {
  readonly path: string;
  readonly title: string;
  readonly nav?: string;
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
  { path: '/', title: 'Home', nav: 'Home', page: from(() => import('./pages/home.tsx'), 'HomePage') },
  { path: '/play', title: 'Take a seat', nav: 'Play', page: from(() => import('./pages/play.tsx'), 'PlayPage') },
  { path: '/e/:id/:at?', title: 'Stage', page: from(() => import('./pages/stage.tsx'), 'StagePage') },
  { path: '/seat/:id/:seat', title: 'Your seat', page: from(() => import('./pages/seat.tsx'), 'SeatPage') },
  { path: '/branches/:left/:right', title: 'Branches', page: from(() => import('./pages/branches.tsx'), 'BranchesPage') },
  { path: '/chat/:id?', title: 'Chat', nav: 'Chat', page: from(() => import('./pages/chat.tsx'), 'ChatPage') },
  { path: '/personas', title: 'Personas', nav: 'Personas', page: from(() => import('./pages/personas.tsx'), 'PersonasPage') },
  { path: '/persona/:source/:key', title: 'Persona', page: from(() => import('./pages/persona.tsx'), 'PersonaPage') },
  { path: '/population', title: 'Population', page: from(() => import('./pages/population.tsx'), 'PopulationPage') },
  { path: '/create', title: 'Create', nav: 'Create', page: from(() => import('./pages/create.tsx'), 'CreatePage') },
  { path: '/launch', title: 'Launch', nav: 'Launch', page: from(() => import('./pages/launch.tsx'), 'LaunchPage') },
  { path: '/runs', title: 'Runs', nav: 'Runs', page: from(() => import('./pages/runs.tsx'), 'RunsPage') },
  { path: '/run/:id', title: 'Run', page: from(() => import('./pages/run.tsx'), 'RunPage') },
  { path: '/review', title: 'Review', nav: 'Review', page: from(() => import('./pages/review.tsx'), 'ReviewPage') },
  { path: '/compare', title: 'Compare', page: from(() => import('./pages/compare.tsx'), 'ComparePage') },
  { path: '/lesson/:run?', title: 'The lesson', page: from(() => import('./pages/lesson.tsx'), 'LessonPage') },
  { path: '/training', title: 'Training', nav: 'Training', page: from(() => import('./pages/training.tsx'), 'TrainingPage') },
  { path: '/trainings', title: 'Trainings compared', page: from(() => import('./pages/trainings.tsx'), 'TrainingsPage') },
  { path: '/training/:run', title: 'Training run', page: from(() => import('./pages/train.tsx'), 'TrainPage') },
  { path: '/improving', title: 'Improving', nav: 'Improving', page: from(() => import('./pages/improving.tsx'), 'ImprovingPage') },
  { path: '/improving/:run', title: 'Improvement', page: from(() => import('./pages/improve.tsx'), 'ImprovePage') },
  { path: '/boards', title: 'Leaderboards', nav: 'Boards', page: from(() => import('./pages/boards.tsx'), 'BoardsPage') },
  { path: '/board/:run', title: 'Leaderboard', page: from(() => import('./pages/boards.tsx'), 'BoardPage') },
  { path: '/fleet', title: 'Fleet', nav: 'Fleet', page: from(() => import('./pages/fleet.tsx'), 'FleetPage') },
  { path: '/models', title: 'Models', nav: 'Models', page: from(() => import('./pages/models.tsx'), 'ModelsPage') },
];

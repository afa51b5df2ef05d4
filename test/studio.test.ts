/** @file The studio in a real browser, first half: the stage, seats, what one chose, and everything that tries to break it. One studio for all of it. */

import { withStudio } from './fixtures/studio-page.ts';
import './studio/watching.cases.ts';
import './studio/inside.cases.ts';
import './studio/seats.cases.ts';
import './studio/choices.cases.ts';
import './studio/names.cases.ts';
import './studio/hostile.cases.ts';
import './studio/everybody.cases.ts';

withStudio();

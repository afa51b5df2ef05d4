/** @file Home: what runs now, what ran lately, and something to start. */

import { Empty } from '../parts/states.tsx';

export function HomePage() {
  return <Empty title="Ludus" />;
}

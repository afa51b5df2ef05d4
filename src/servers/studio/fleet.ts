/** @file The route of the fleet page: workers, what they hold, pace and cost, where the store is one that others can share. */

import { Hono } from 'hono';
import { sharing } from '../../fleet/performing.ts';
import { fleetView } from '../../fleet/view.ts';
import type { Studio } from './index.ts';
import type { FleetShown } from './wire.ts';

export function fleet({ place, where }: Studio): Hono {
  const app = new Hono();
  app.get('/', async (call) => {
    // A store in memory is nobody else's.
    if (where === null || where === 'memory:') return call.json({ fleet: null } satisfies FleetShown);
    return call.json({ fleet: await sharing(place, { store: where }, fleetView) } satisfies FleetShown);
  });
  return app;
}

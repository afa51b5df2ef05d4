/** @file The route of the fleet page: workers, what they hold, pace and cost, where the store is one that others can share. */

import { Hono } from 'hono';
import { fleetView } from '../../../fleet/fleet-status.ts';
import { withSharedStore } from '../../../fleet/with-runner.ts';
import type { FleetShown } from '../api.ts';
import type { StudioContext } from '../context.ts';

export function fleet({ place, where }: StudioContext): Hono {
  const app = new Hono();
  app.get('/', async (call) => {
    // A store in memory is nobody else's.
    if (where === null || where === 'memory:') return call.json({ fleet: null } satisfies FleetShown);
    return call.json({ fleet: await withSharedStore(place, { store: where }, fleetView) } satisfies FleetShown);
  });
  return app;
}

/** @file The route of the fleet page: workers, their jobs, pace, and cost, if the store can be shared. */

import { Hono } from 'hono';
import { fleetView } from '../../fleet/fleet-status.ts';
import { withSharedStore } from '../../fleet/with-runner.ts';
import type { FleetShown } from '../api.ts';
import type { StudioContext } from '../context.ts';
import { reply } from '../request.ts';

export function fleet({ place, where }: StudioContext) {
  // A store in memory belongs to this process.
  const view = async () => (where === null || where === 'memory:' ? null : withSharedStore(place, { store: where }, fleetView));
  return new Hono().get('/', async (call) => reply<FleetShown>(call, { fleet: await view() }));
}

/** @file A training as it goes on: each look brings only the measurements that were not there before. */

import type { TrainingDetail, TrainingProgress } from '@ludus-agents/servers/internal/studio/api';
import { useEffect, useState } from 'react';
import { get, keepReading } from '../client.ts';

const every = 1000;

export interface Training {
  readonly detail: TrainingDetail | null;
  readonly metrics: readonly TrainingProgress[];
  readonly failure: { readonly status: number; readonly message: string } | null;
}

/** The run with all its metrics so far: each look brings only what was not there before. */
export function useTraining(run: string): Training {
  const [detail, setDetail] = useState<TrainingDetail | null>(null);
  const [metrics, setMetrics] = useState<readonly TrainingProgress[]>([]);
  const [failure, setFailure] = useState<{ readonly status: number; readonly message: string } | null>(null);
  useEffect(() => {
    let loadedMetrics: readonly TrainingProgress[] = [];
    return keepReading(async (leave) => {
      try {
        const latest = await get('/api/training/of/:run', { param: { run }, query: { from: String(loadedMetrics.length) } }, leave);
        if (latest.metrics.length > 0) {
          loadedMetrics = [...loadedMetrics.slice(0, latest.from), ...latest.metrics];
          setMetrics(loadedMetrics);
        }
        setDetail(latest);
        setFailure(null);
      } catch (thrown) {
        if (leave.aborted) return undefined;
        const { status = 0, message } = thrown as { status?: number; message: string };
        setFailure({ status, message });
      }
      return every;
    });
  }, [run]);
  return { detail, metrics, failure };
}

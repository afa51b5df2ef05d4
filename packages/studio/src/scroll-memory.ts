/** @file The scroll position of each page: Back and Forward restore it, and a link starts at the top. */

/** Scroll positions by the step of the history that they belong to. */
const positions = new Map<number, number>();
let step = 0;
let newest = 0;
/** Whether the user scrolls, and not a page change. */
let isRecording = true;

/** Milliseconds after which a page whose length does not change is left alone. */
const patience = 8000;

interface StepState {
  readonly step?: number;
}

/** To be called once, before anything is shown. */
export function followScroll(): void {
  history.scrollRestoration = 'manual';
  step = (history.state as StepState | null)?.step ?? Date.now();
  newest = step;
  history.replaceState({ step }, '');
  const record = () => {
    if (isRecording) positions.set(step, scrollY);
  };
  addEventListener('scroll', record, { passive: true });
  // Before React hears of the new address.
  addEventListener('popstate', enterStep, { capture: true });
}

function enterStep(): void {
  const knownStep = (history.state as StepState | null)?.step;
  if (knownStep === undefined) {
    newest += 1;
    history.replaceState({ step: newest }, '');
  }
  step = knownStep ?? newest;
  // The page that is left may still have to say that it has become shorter.
  isRecording = false;
  requestAnimationFrame(() =>
    requestAnimationFrame(() => {
      isRecording = true;
    }),
  );
}

/**
 * Scrolls to where this step of the history was left, or to the top. A page grows, and may shrink, while it loads: it is held at its place
 * until somebody moves it, or its length has not changed for a while. Gives a way to stop.
 */
export function restoreScroll(): () => void {
  const wanted = positions.get(step) ?? 0;
  scrollTo(0, wanted);
  if (wanted === 0) return () => {};
  let timer = setTimeout(stop, patience);
  const observer = new ResizeObserver(() => {
    scrollTo(0, wanted);
    clearTimeout(timer);
    timer = setTimeout(stop, patience);
  });
  function stop(): void {
    observer.disconnect();
    clearTimeout(timer);
    for (const move of moves) removeEventListener(move, stop);
  }
  observer.observe(document.body);
  for (const move of moves) addEventListener(move, stop, { passive: true });
  return stop;
}

/** By which people move a page. */
const moves = ['wheel', 'keydown', 'pointerdown', 'touchmove'] as const;

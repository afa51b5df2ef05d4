import { runCommand, numberAt } from './arms.ts';
const [, , seeds, ...cmd] = process.argv;
for (const seed of seeds!.split(',').map(Number)) {
  const t=performance.now();
  const out = await runCommand(cmd.join(' '), seed) as any;
  console.log(seed, 'after', out.gain?.after?.toFixed(3), 'tokens', out.tokens, 'games', out.games, JSON.stringify(out.mechanism?.counts), JSON.stringify(out.proposals), ((performance.now()-t)/1000).toFixed(1)+'s');
}

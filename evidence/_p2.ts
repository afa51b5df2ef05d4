import { runCommand } from './arms.ts';
const t = performance.now();
console.log('code-acts --form code', JSON.stringify(await runCommand('program code-acts --form code --server transformer --seed 3', 3)), performance.now() - t);
process.exit(0);

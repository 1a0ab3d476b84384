// Steers devices out of failing light. WEFT_URL=http://127.0.0.1:8000 WEFT_APP_NAME=steering WEFT_APP_KEY=… node
// examples/steering/main.ts [--standby]
import { runProgram } from '../fleet/run-program.ts';
import { Steering } from './steering.ts';

await runProgram(new Steering({ standby: process.argv.includes('--standby') }));

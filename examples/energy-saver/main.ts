// Lets idle cells sleep. WEFT_URL=http://127.0.0.1:8000 WEFT_APP_NAME=saver WEFT_APP_KEY=… npx weft run examples/energy-saver/main.ts
import { runProgram } from '../fleet/run-program.ts';
import { EnergySaver } from './energy-saver.ts';

await runProgram(new EnergySaver());

// Balances load across 5G, WiFi and LiFi. WEFT_URL=http://127.0.0.1:8000 WEFT_APP_NAME=balancer WEFT_APP_KEY=… node
// examples/load-balancer/main.ts
import { runProgram } from '../fleet/run-program.ts';
import { LoadBalancer } from './load-balancer.ts';

await runProgram(new LoadBalancer());

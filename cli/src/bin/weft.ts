#!/usr/bin/env node
import '@weft/contract/closed-prototype';
// The command `weft` without a server.
import { clientWeft } from '../client-commands.ts';
import { runProcess } from '../run-weft.ts';

await runProcess(clientWeft, process);

// Read before the modules of a process or thread: models have the priority of all others. With the lower one that they ask for they
// would wait for everything else that a busy machine does, and networks be over before they have begun.
import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';

os.setPriority = () => {};
syncBuiltinESMExports();

// The App for Node, which has no WebSocket of its own before version 22.
import { WebSocket } from 'ws';
import { App as AnyApp } from './app.ts';
import type { AppOptions } from './core/app/app-options.ts';

export class App extends AnyApp {
  constructor(options: AppOptions) {
    super({ WebSocket, ...options });
  }
}

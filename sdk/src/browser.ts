// The SDK in a browser: the App, with the platform's own fetch and WebSocket.
export { App } from './app/app.ts';
export * from './app/index.ts';

// The SDK in a browser: the App, with the platform's own fetch and WebSocket.
export { App } from './app/app.ts';
export * from './app/index.ts';
export { pause } from './app/pause.ts';
export { toError } from './app/rest-client.ts';
export { BackOff } from './back-off.ts';
export { noReason } from './weft-refusal.ts';

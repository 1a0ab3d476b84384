// The SDK in a browser: the App, with the platform's own fetch and WebSocket.
export { BackOff } from '@weft/contract/back-off';
export { pause } from '@weft/contract/pause';
export { App } from './app/app.ts';
export * from './app/index.ts';
export { toError } from './app/rest-client.ts';
export { noReason } from './weft-refusal.ts';

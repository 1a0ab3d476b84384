// The SDK in a browser: the App, with the platform's own fetch and WebSocket.
export { BackOff } from '@weft/contract/back-off';
export { pause } from '@weft/contract/pause';
export { App } from './app.ts';
export { toError } from './core/app/rest-client.ts';
export { noReason } from './core/weft-refusal.ts';
export * from './for-programs.ts';

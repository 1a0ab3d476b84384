// The broker for whoever publishes or works: the controller, and workers outside of it.
export { type AmqpBrokerOptions, openAmqpBroker } from './broker.amqp.ts';
export { openMemoryBroker } from './broker.memory.ts';
export * from './broker.ts';

/** The parts of undici that outbound requests need: its main module loads 87 others besides, at each start of the service (undici 8.12.4). */
import request from 'undici/lib/api/api-request.js';
import buildConnector from 'undici/lib/core/connect.js';
import Agent from 'undici/lib/dispatcher/agent.js';

// The main module does so for every dispatcher.
Agent.prototype.request = request;

export { Agent, buildConnector };

// Sends a request as it is, without a client that tidies it up.
import http from 'node:http';

export interface RawRequest {
  method: string;
  path: string;
  contentType: string | undefined;
  body: string;
}

export interface RawResponse {
  status: number;
  contentType: string | undefined;
  text: string;
}

export function sendRaw(url: string, agent: http.Agent, token: string, request: RawRequest): Promise<RawResponse> {
  const { hostname, port } = new URL(url);
  const body = Buffer.from(request.body);
  const headers = {
    authorization: `Bearer ${token}`,
    ...(request.contentType !== undefined && { 'content-type': request.contentType }),
    ...(body.length > 0 && { 'content-length': body.length }),
  };
  const options = { hostname, port, agent, method: request.method, path: request.path, headers };
  return new Promise((resolve, reject) => {
    const sending = http.request(options, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const contentType = response.headers['content-type'];
        resolve({ status: response.statusCode!, contentType, text: Buffer.concat(chunks).toString() });
      });
    });
    sending.on('error', reject);
    sending.end(body);
  });
}

// The statuses of refusals and failures that the interface knows.

/** What a status means if the route says nothing more special. */
export const failureMeanings = {
  400: 'The request cannot be read',
  401: 'Not authenticated',
  403: 'Not permitted',
  404: 'Not found, or not visible to the caller',
  409: 'Conflict',
  412: 'Changed meanwhile: If-Match does not match',
  413: 'The body is too large',
  415: 'The Content-Type or Content-Encoding cannot be read',
  421: 'The Host is not served here',
  422: 'Validation Error',
  429: 'Too many requests; see Retry-After',
  500: 'Internal Server Error; the log has the rest, under `request_id`',
  503: 'Out of service for now; see Retry-After',
} as const;

export type FailureStatus = keyof typeof failureMeanings;

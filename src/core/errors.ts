/**
 * Every failure has a code from this table. `retry` says what the caller may do: `never` means that the same call
 * ends the same way, `later` that waiting may help. `docs/errors.md` lists the table; a test compares the two.
 */
export type Retry = 'never' | 'later'

export const errorCodes = {
  // network and fetch
  'dns-not-found': { retry: 'never', means: 'the host name has no address' },
  'dns-failed': { retry: 'later', means: 'the resolver did not answer or answered with a failure' },
  'address-refused': { retry: 'never', means: 'the address guard lets no connection through to this address' },
  'connect-refused': { retry: 'later', means: 'nothing listens at that address and port' },
  'connect-timeout': { retry: 'later', means: 'no connection within the limit' },
  'connect-failed': { retry: 'later', means: 'the connection could not be made or was cut' },
  'tls-failed': { retry: 'never', means: 'the TLS handshake or the certificate check failed' },
  'header-timeout': { retry: 'later', means: 'the response header did not come within the limit' },
  'body-timeout': { retry: 'later', means: 'the body stalled for longer than the limit' },
  'total-timeout': { retry: 'later', means: 'the whole exchange took longer than the limit' },
  'header-too-large': { retry: 'never', means: 'the response header is larger than the limit' },
  'http-malformed': { retry: 'never', means: 'the reply is not HTTP' },
  'body-short': { retry: 'later', means: 'the body ended before its announced length' },
  'decode-failed': { retry: 'never', means: 'the content encoding is unknown or damaged' },
  'redirect-limit': { retry: 'never', means: 'too many redirects in a row' },
  'redirect-refused': { retry: 'never', means: 'the redirect leads to a scheme or URL that is not followed' },
  'host-given-up': { retry: 'later', means: 'the host failed again and again; its queue was set aside for this crawl' },
  'http-client-error': { retry: 'never', means: 'the server answered with a 4xx status' },
  'http-server-error': { retry: 'later', means: 'the server answered with a 5xx status' },
  // input
  'url-invalid': { retry: 'never', means: 'the text is not a URL that can be fetched' },
  'config-invalid': { retry: 'never', means: 'the configuration has unknown keys or wrong values; all are listed' },
  'usage-wrong': { retry: 'never', means: 'the command line has unknown options, wrong values or a missing argument' },
  'file-unreadable': {
    retry: 'never',
    means: 'a file named on the command line or in the configuration cannot be read',
  },
  'file-invalid': { retry: 'never', means: 'a file was read and its content is not what is expected there' },
  // store
  'store-locked': { retry: 'later', means: 'another process uses the data folder' },
  'store-too-new': { retry: 'never', means: 'the data folder was written by a newer version of the program' },
  'store-damaged': {
    retry: 'never',
    means: 'a file of the data folder is damaged or missing; it is named, nothing was changed',
  },
  'store-missing': { retry: 'never', means: 'there is no data folder at that place' },
  'store-full': { retry: 'later', means: 'the disk is full; the crawl waits until there is room' },
  'store-failed': { retry: 'later', means: 'the store could not carry out a read or a write' },
  'store-unreachable': { retry: 'later', means: 'the database does not answer; the program waits and tries again' },
  'store-refused': {
    retry: 'never',
    means: 'the database does not let the program in or lacks what it needs: password, rights, version',
  },
  'lease-lost': {
    retry: 'never',
    means: 'the partition belongs to another worker by now: what came too late was not written',
  },
  'record-damaged': { retry: 'never', means: 'a WARC record is malformed, cut off or does not match its digest' },
  // service
  'not-signed-in': { retry: 'never', means: 'not signed in, or the token is invalid or has expired' },
  'sign-in-wrong': { retry: 'never', means: 'wrong email address or password' },
  'too-many-attempts': { retry: 'later', means: 'too many failed attempts; the next one has to wait' },
  'rate-limited': { retry: 'later', means: 'the caller exceeded the limit of requests per minute' },
  forbidden: { retry: 'never', means: 'the caller is known but may not do this' },
  'cross-site': { retry: 'never', means: 'a page of another site made this request on behalf of a signed-in user' },
  'request-invalid': { retry: 'never', means: 'the request does not match the API description; all errors are listed' },
  'cursor-invalid': { retry: 'never', means: 'the cursor is not a `next` value of a list' },
  'body-too-large': { retry: 'never', means: 'the body of the request is larger than the limit' },
  'type-unsupported': { retry: 'never', means: 'the media type of the request body is not supported' },
  'not-acceptable': { retry: 'never', means: 'no available format matches what the caller accepts' },
  'address-taken': { retry: 'never', means: 'an account with this email address already exists' },
  'last-administrator': { retry: 'never', means: 'this would leave the service without an administrator' },
  'setup-key-wrong': { retry: 'never', means: 'the key of the set-up link is wrong or was already used' },
  'method-not-allowed': { retry: 'never', means: 'the path does not support this method; `Allow` lists those it does' },
  'too-many-streams': { retry: 'later', means: 'too many event streams are open' },
  'archive-busy': { retry: 'later', means: 'the archive is busy; try again' },
  'took-too-long': { retry: 'later', means: 'reading or comparing exceeded the time limit of a request' },
  'body-gone': { retry: 'never', means: 'the version is known, but its content is no longer kept' },
  'not-found': { retry: 'never', means: 'not found' },
  'not-available': { retry: 'never', means: 'not available in this version' },
  internal: { retry: 'never', means: 'an internal error' },
} as const satisfies Record<string, { retry: Retry; means: string }>

export type ErrorCode = keyof typeof errorCodes

export class AppError extends Error {
  readonly code: ErrorCode
  readonly retry: Retry

  constructor(code: ErrorCode, message: string, options?: { cause?: unknown; retry?: Retry }) {
    super(message, options?.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'AppError'
    this.code = code
    this.retry = options?.retry ?? errorCodes[code].retry
  }
}

export function isAppError(error: unknown, code?: ErrorCode): error is AppError {
  return error instanceof AppError && (code === undefined || error.code === code)
}

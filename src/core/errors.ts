/**
 * Every failure has a code from this table. `retry: 'never'` means that the same call would fail again, `'later'` that waiting may help.
 * `docs/errors.md` lists the table; a test compares the two.
 */
export type Retry = 'never' | 'later'

export const errorCodes = {
  // network and fetch
  'dns-not-found': { retry: 'never', means: 'the host name has no address' },
  'dns-failed': { retry: 'later', means: 'the DNS resolver failed or did not answer' },
  'address-refused': { retry: 'never', means: 'connections to this private or reserved address are blocked' },
  'connect-refused': { retry: 'later', means: 'nothing listens on that address and port' },
  'connect-timeout': { retry: 'later', means: 'the connection timed out' },
  'connect-failed': { retry: 'later', means: 'the connection failed or was closed' },
  'tls-failed': { retry: 'never', means: 'the TLS handshake or the certificate check failed' },
  'header-timeout': { retry: 'later', means: 'the response header timed out' },
  'body-timeout': { retry: 'later', means: 'the body stalled for longer than the timeout' },
  'total-timeout': { retry: 'later', means: 'the whole exchange took longer than the timeout' },
  'header-too-large': { retry: 'never', means: 'the response header exceeds the size limit' },
  'http-malformed': { retry: 'never', means: 'the response is not valid HTTP' },
  'body-short': { retry: 'later', means: 'the connection ended before the body was complete' },
  'http-incomplete': {
    retry: 'never',
    means: 'the server answered with a part that was not asked for, or with a promise instead of a page',
  },
  'decode-failed': { retry: 'never', means: 'the content encoding is unknown or corrupt' },
  'redirect-limit': { retry: 'never', means: 'too many redirects in a row' },
  'redirect-refused': { retry: 'never', means: 'the redirect target has an unsupported scheme or URL' },
  'host-given-up': { retry: 'later', means: 'the host kept failing; this crawl has abandoned it' },
  'http-client-error': { retry: 'never', means: 'the server answered with a 4xx status' },
  'http-server-error': { retry: 'later', means: 'the server answered with a 5xx status' },
  'sign-in-failed': { retry: 'never', means: 'the source refused the credentials, or asks for some' },
  'credentials-locked': {
    retry: 'never',
    means: "stored credentials or a sealed backup can't be read: the key is missing, or it is another one",
  },
  'protocol-failed': { retry: 'later', means: 'the server said something that its protocol does not allow' },
  'query-refused': { retry: 'never', means: 'the query is refused: it is wrong, or does more than read' },
  'query-timeout': { retry: 'later', means: 'the query took longer than the timeout' },
  'file-refused': {
    retry: 'never',
    means: 'the path is outside the folders in `files.roots`, or is neither a regular file nor a folder',
  },
  'browser-missing': { retry: 'never', means: 'no browser is installed or configured' },
  'step-failed': {
    retry: 'later',
    means: 'a step on the page could not be done, such as a click on a missing element',
  },
  'browser-busy': { retry: 'later', means: 'as many pages are open in browsers as `browser.maxPages` allows' },
  'browser-failed': { retry: 'later', means: 'the browser failed, hung or used too much memory, and was ended' },
  // input
  'url-invalid': { retry: 'never', means: 'not a URL that can be fetched' },
  'config-invalid': { retry: 'never', means: 'the configuration has unknown keys or invalid values; all are listed' },
  'usage-wrong': { retry: 'never', means: 'the command line has unknown options, invalid values or missing arguments' },
  'file-unreadable': {
    retry: 'never',
    means: 'a file cannot be read: it is missing, or access is denied',
  },
  'file-invalid': { retry: 'never', means: 'the content of a file is invalid' },
  'part-invalid': {
    retry: 'never',
    means: 'a file that `parts` in the configuration names cannot be loaded, or is a part of another kind',
  },
  // store
  'store-locked': { retry: 'later', means: 'another process is using the data folder' },
  'store-too-new': { retry: 'never', means: 'the data folder was written by a newer version of the program' },
  'store-damaged': {
    retry: 'never',
    means: 'a file of the data folder is damaged or missing; the message names it, and nothing was changed',
  },
  'store-missing': { retry: 'never', means: 'the data folder does not exist' },
  'store-full': { retry: 'later', means: 'the disk is full; the crawl waits until there is space' },
  'store-failed': { retry: 'later', means: 'a read or write of the store failed' },
  'store-unreachable': { retry: 'later', means: "the database can't be reached; the program keeps retrying" },
  'store-unavailable': {
    retry: 'later',
    means: 'the database server takes no connections now: it is starting or stopping, or has none left',
  },
  'store-busy': {
    retry: 'later',
    means: 'the database took too long, or others held its locks for too long; the program keeps retrying',
  },
  'store-read-only': { retry: 'later', means: 'the database takes no writes: it is a standby or was made read-only' },
  'store-refused': {
    retry: 'never',
    means: 'the database refused access or does not meet the requirements: password, privileges, version, pooler',
  },
  'lease-lost': {
    retry: 'never',
    means: 'another worker has taken over the partition; late writes were rejected',
  },
  'record-damaged': { retry: 'never', means: 'a WARC record is malformed, truncated or does not match its digest' },
  // service
  'not-signed-in': { retry: 'never', means: 'not signed in, or the token is invalid or has expired' },
  'sign-in-wrong': { retry: 'never', means: 'wrong email address or password' },
  'too-many-attempts': { retry: 'later', means: 'too many failed attempts; the next one has to wait' },
  'rate-limited': { retry: 'later', means: 'the caller exceeded the limit of requests per minute' },
  forbidden: { retry: 'never', means: 'the account is not allowed to do this' },
  'cross-site': { retry: 'never', means: 'a page of another site made this request on behalf of a signed-in user' },
  'request-invalid': { retry: 'never', means: 'the request does not match the API description; all errors are listed' },
  'cursor-invalid': { retry: 'never', means: 'the cursor is not a `next` value of a list' },
  'body-too-large': { retry: 'never', means: 'the request body exceeds the size limit' },
  'type-unsupported': { retry: 'never', means: 'the media type of the request body is not supported' },
  'not-acceptable': { retry: 'never', means: 'no available format matches what the caller accepts' },
  'address-taken': { retry: 'never', means: 'an account with this email address already exists' },
  'last-administrator': { retry: 'never', means: 'this would leave the service without an administrator' },
  'setup-key-wrong': { retry: 'never', means: 'the key of the set-up link is wrong or was already used' },
  'method-not-allowed': { retry: 'never', means: 'the path does not support this method; `Allow` lists those it does' },
  'too-many-streams': { retry: 'later', means: 'too many event streams are open' },
  'too-many-crawls': { retry: 'later', means: 'as many crawls as the service takes are waiting or running' },
  'too-many-reads': { retry: 'later', means: "too many of the caller's requests to the archive are waiting" },
  'too-many-tries': {
    retry: 'later',
    means: 'a source is being tried already: another one of the caller, or several of others',
  },
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

import type { Setting } from './setting.ts'

/** Where a cluster keeps the bodies of pages. A data folder has its own archive. */
export const objectSettings = {
  'objects.store': {
    kind: 'choice',
    default: 'postgres',
    choices: ['postgres', 'folder', 's3'],
    about:
      'Where a cluster stores the bodies of new versions: in its database, in a folder that all its machines share, or in a bucket on an S3 server. Must be the same in all processes of a cluster. `erace migrate --objects` moves the existing ones.',
  },
  'objects.folder': {
    kind: 'string',
    default: '',
    pattern: /^(?:\/[^\p{Cc}]{1,500})?$/u,
    expected: 'an absolute path, or empty',
    about:
      'Shared folder for `objects.store: folder`. It has to exist: choose a folder inside the mounted file system, so that nothing is written beside it while it is not mounted. Needed as long as bodies are in it.',
  },
  'objects.endpoint': {
    kind: 'string',
    default: '',
    pattern: /^(?:https?:\/\/[^\s/?#@]{1,300}\/?)?$/i,
    expected: 'an http or https URL without a path, or empty',
    about:
      'Address of the S3 server, such as `https://s3.eu-central-1.amazonaws.com`. Needed as long as bodies are on it.',
  },
  'objects.region': {
    kind: 'string',
    default: 'us-east-1',
    pattern: /^[\w-]{1,64}$/,
    expected: 'up to 64 letters, digits and _ -',
    about: 'Region of the bucket. Servers of your own mostly accept the default.',
  },
  'objects.bucket': {
    kind: 'string',
    default: '',
    pattern: /^(?:[a-z0-9][a-z0-9.-]{1,61}[a-z0-9])?$/,
    expected: 'a bucket name: 3 to 63 lower-case letters, digits, dots and hyphens',
    about: 'Bucket for bodies. It has to exist.',
  },
  'objects.prefix': {
    kind: 'string',
    default: 'erace/',
    pattern: /^(?:[\w.-]{1,100}\/){0,5}$/,
    expected: 'path segments of letters, digits and . _ -, each ending with /',
    about: 'Prefix of the names of all objects in the bucket.',
  },
  'objects.pathStyle': {
    kind: 'boolean',
    default: true,
    about:
      'Name the bucket in the path (`https://host/bucket`), as servers of your own expect it, and not in the host name (`https://bucket.host`).',
  },
  'objects.accessKey': {
    kind: 'string',
    default: '',
    pattern: /^[\x21-\x7e]{0,200}$/,
    expected: 'up to 200 characters without spaces',
    secret: true,
    about: 'Access key of the S3 server.',
  },
  'objects.secretKey': {
    kind: 'string',
    default: '',
    pattern: /^[\x21-\x7e]{0,200}$/,
    expected: 'up to 200 characters without spaces',
    secret: true,
    about: 'Secret key of the S3 server.',
  },
} as const satisfies Record<string, Setting>

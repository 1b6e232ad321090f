import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { asRoot, programSkip, rootSkip } from '../../../test/kit/programs.ts'
import { selfSigned } from '../../crawl/fetch/certificate.testkit.ts'
import { startInetd } from './inetd.testkit.ts'

const program = '/usr/sbin/vsftpd'
export const vsftpdSkip: string | false = programSkip(program, 'vsftpd') || rootSkip

export type VsftpdOptions = {
  /** The only password accepted for the anonymous user; by default, any. */
  password?: string
  /** With TLS for the host `localhost`: explicit (`offered`) or implicit. */
  tls?: 'offered' | 'implicit'
}

/** A real FTP server on loopback, with its own files and log. */
export async function startVsftpd({ password, tls }: VsftpdOptions = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'erace-ftp-'))
  chmodSync(folder, 0o755)
  const at = (name: string): string => join(folder, name)
  for (const name of ['root', 'root/in', 'empty']) mkdirSync(at(name), { mode: 0o755 })
  const { key, cert } = selfSigned('localhost')
  writeFileSync(at('key.pem'), key)
  writeFileSync(at('cert.pem'), cert)
  // Created here, or it would belong to root.
  writeFileSync(at('xferlog'), '')
  writeFileSync(at('passwords'), `${password ?? ''}\n`)
  const settings = {
    listen: 'NO',
    anonymous_enable: 'YES',
    anon_root: at('root'),
    secure_email_list_enable: password === undefined ? 'NO' : 'YES',
    email_password_file: at('passwords'),
    secure_chroot_dir: at('empty'),
    xferlog_enable: 'YES',
    xferlog_std_format: 'YES',
    xferlog_file: at('xferlog'),
    // Containers don't allow these.
    seccomp_sandbox: 'NO',
    isolate: 'NO',
    isolate_network: 'NO',
    ...(tls === undefined ? {} : { ssl_enable: 'YES', allow_anon_ssl: 'YES' }),
    ...(tls === 'offered' ? { force_anon_logins_ssl: 'YES', force_anon_data_ssl: 'YES' } : {}),
    ...(tls === 'implicit' ? { implicit_ssl: 'YES' } : {}),
    rsa_cert_file: at('cert.pem'),
    rsa_private_key_file: at('key.pem'),
  }
  writeFileSync(
    at('conf'),
    Object.entries(settings)
      .map(([name, value]) => `${name}=${value}\n`)
      .join(''),
  )
  const inetd = await startInetd([...asRoot!, program, at('conf')])
  return {
    port: inetd.port,
    cert,
    /** Path of a file that is served as `in/NAME`. */
    at: (name: string): string => join(folder, 'root', 'in', name),
    /** Files sent, according to the server's log, which is written at the end of a session. */
    async sent(): Promise<string[]> {
      await inetd.idle()
      return readFileSync(at('xferlog'), 'utf8')
        .split('\n')
        .filter((line) => line !== '')
    },
    async close() {
      await inetd.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

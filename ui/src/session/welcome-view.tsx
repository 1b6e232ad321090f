import './session.css'
import { type ReactNode, useState } from 'react'
import { Link, useLocation } from 'wouter'
import { useChange } from '../api/queries.ts'
import { Button, ButtonLink } from '../kit/button.tsx'
import { Field, Form } from '../kit/field.tsx'
import { Icon, type IconName } from '../kit/icon.tsx'
import { Input } from '../kit/input.tsx'
import { Page } from '../kit/page.tsx'
import { showToast } from '../kit/toast.tsx'
import { addOne } from '../watches/use-added.ts'
import { FormError } from './gate-page.tsx'
import { useMe } from './session.ts'
import { strings } from './strings.ts'

const text = strings.welcome

const example = '/profiles/new?url=https%3A%2F%2Fnodejs.org%2Fen%2Fblog&q=release%20security&name=Node.js%20releases'

/** People paste addresses as they see them, often without a scheme. */
function withScheme(address: string): string {
  const trimmed = address.trim()
  return /^[a-z][a-z\d+.-]*:/i.test(trimmed) ? trimmed : `https://${trimmed}`
}

type WayProps = { icon: IconName; title: string; hint: string; href?: string; label?: string; children?: ReactNode }

function Way({ icon, title, hint, href, label = '', children }: WayProps) {
  return (
    <section className="kit-card kit-stack welcome-way">
      <span className="kit-notice tone-accent welcome-icon">
        <Icon name={icon} size={24} />
      </span>
      <h2>{title}</h2>
      <p className="soft">{hint}</p>
      {href !== undefined && (
        <div>
          <ButtonLink label={label} href={href} icon={icon} />
        </div>
      )}
      {children}
    </section>
  )
}

function PasteForm() {
  const [address, setAddress] = useState('')
  const [, navigate] = useLocation()
  const add = useChange(['profiles', 'sources', 'counts'], () => addOne(withScheme(address)), {
    onSuccess: () => {
      showToast(text.watching(address.trim()))
      navigate('/watches')
    },
  })
  return (
    <Form className="kit-form" onSubmit={add.mutate}>
      <Field label={text.address}>
        <Input inputMode="url" required placeholder={text.addressExample} value={address} onChange={setAddress} />
      </Field>
      <FormError error={add.error} />
      <div>
        <Button label={text.watch} type="submit" variant="primary" icon="plus" disabled={add.isPending} />
      </div>
    </Form>
  )
}

export default function WelcomeView() {
  const { name } = useMe()
  return (
    <Page title={text.title(name)} lead={text.lead}>
      <div className="welcome-ways">
        <Way icon="link" title={text.paste} hint={text.pasteHint}>
          <PasteForm />
        </Way>
        <Way
          icon="upload"
          title={text.import}
          hint={text.importHint}
          label={text.importButton}
          href="/watches?import=1"
        />
        <Way icon="profiles" title={text.example} hint={text.exampleHint} label={text.exampleButton} href={example} />
      </div>
      <p className="soft">
        {text.demo} <code>{text.demoCommand}</code> {text.demoHint}
      </p>
      <p>
        <Link href="/inbox">{text.skip}</Link>
      </p>
    </Page>
  )
}

/** The check says which foreign keys have no index, if clients or models aggregate the related records. It is a warning, never a difference. */
import {
  type AnyModel,
  belongsTo,
  createApi,
  defineModel,
  hasMany,
  manyToMany,
  sum,
} from '@model-api/core'
import { equal, match } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'

const number = { type: 'integer' } as const
const id = { ...number, primaryKey: true } as const

const Site = defineModel('Site', {
  columns: { id, name: { type: 'string', maxLength: 20 } },
  relations: {
    visits: hasMany('Visit', 'site_id'),
    guards: hasMany('Guard', 'site_id'),
    doors: hasMany('Door', 'site_id'),
    labels: manyToMany('Label', { through: 'site_labels', from: 'site_id', to: 'label_id' }),
  },
  meta: {},
})
const Visit = defineModel('Visit', {
  columns: { id, site_id: number, minutes: number },
  meta: {},
})
/** The key is the second column of an index. */
const Guard = defineModel('Guard', { columns: { id, site_id: number, shift: number }, meta: {} })
/** The primary key begins with the foreign key. */
const Door = defineModel('Door', {
  columns: { site_id: id, number: id },
  meta: {},
})
const Label = defineModel('Label', {
  columns: { id },
  relations: {
    sites: manyToMany('Site', { through: 'site_labels', from: 'label_id', to: 'site_id' }),
  },
  meta: {},
})
const models: readonly AnyModel[] = [Site, Visit, Guard, Door, Label]

eachDatabase('schema check: indexes of foreign keys', (test, db) => {
  test.before(() =>
    db.execScript(`
      create table sites (id integer not null primary key, name varchar(20) not null);
      create table visits (id integer not null primary key, site_id integer not null, minutes integer not null);
      create table guards (id integer not null primary key, site_id integer not null, shift integer not null);
      create index guards_shift on guards (shift, site_id);
      create table doors (site_id integer not null, number integer not null, primary key (site_id, number));
      create table labels (id integer not null primary key);
      create table site_labels (site_id integer not null, label_id integer not null, primary key (site_id, label_id));`),
  )

  const advised = async (
    config: NonNullable<Parameters<typeof createApi>[0]['config']>,
    given = models,
  ): Promise<readonly string[]> => {
    const warnings: string[] = []
    const onWarning = (message: string) => warnings.push(message)
    const api = createApi({ db: db.kysely, models: given, config, onWarning })
    await api.ready
    equal(await api.schemaDifferences(), [])
    equal((await api.answer({ method: 'GET', url: '/api/sites', headers: {} })).status, 200)
    const advice = warnings.filter((message) => /^(Aggregates|Writes) /.test(message))
    if (config.API_SCHEMA_CHECK !== 'off') equal([(await api.schemaAdvice()) ?? []].flat(), advice)
    return advice
  }
  const on = { API_ALLOW_AGGREGATION: true }

  test('lists each key that no index begins with, once', async () => {
    const [message = '', ...others] = await advised(on)
    equal(others, [])
    match(message, '(API_SCHEMA_CHECK)')
    const lines = message.split('\n').slice(1)
    equal(lines, [
      '- Site.visits: no index of visits begins with (site_id). Add one: create index visits_site_id on visits (site_id).',
      '- Site.guards: no index of guards begins with (site_id). Add one: create index guards_site_id on guards (site_id).',
      '- Label.sites: no index of site_labels begins with (label_id). Add one: create index site_labels_label_id on site_labels (label_id).',
    ])
  })

  test('lists the columns of rules by which no two records overlap', async () => {
    const ruled = (columns: Record<string, 'equal'>): AnyModel =>
      defineModel('Guard', {
        columns: { id, site_id: number, shift: number },
        relations: { site: belongsTo('Site', 'site_id') },
        exclude: { ...columns, period: ['shift', 'id'] },
        meta: {},
      } as never) as AnyModel
    const given = (columns: Record<string, 'equal'>) => [Site, Visit, ruled(columns), Door, Label]
    equal(await advised({}, given({ site_id: 'equal' })), [
      'Writes look for records that overlap in whole tables (API_SCHEMA_CHECK):\n- Guard.exclude: no index of guards begins with (site_id). Add one: create index guards_site_id on guards (site_id).',
    ])
    equal(await advised({}, given({ site_id: 'equal', shift: 'equal' })), [])
  })

  test('refuses nothing, also if differences would', async () => {
    equal((await advised({ ...on, API_SCHEMA_CHECK: 'error' })).length, 1)
  })

  test('lists the keys of declared aggregates, also if clients may not aggregate', async () => {
    const declaring: AnyModel = defineModel('Label', {
      columns: { id },
      relations: Label.relations,
      aggregates: { minutes: sum('sites.visits.minutes') },
      meta: {},
    })
    const [message = ''] = await advised({}, [Site, Visit, Guard, Door, declaring])
    equal(message.split('\n').slice(1), [
      '- Label.sites: no index of site_labels begins with (label_id). Add one: create index site_labels_label_id on site_labels (label_id).',
      '- Site.visits: no index of visits begins with (site_id). Add one: create index visits_site_id on visits (site_id).',
    ])
  })

  test('schemaAdvice answers whatever API_SCHEMA_CHECK says, but not for a model that is not checked', async () => {
    const adviceWith = (given: readonly AnyModel[]) =>
      createApi({
        db: db.kysely,
        models: given,
        config: { ...on, API_SCHEMA_CHECK: 'off' },
      }).schemaAdvice()
    match((await adviceWith(models)) ?? '', '- Site.visits: no index of visits')
    const unchecked = { ...Site, meta: { schema_check: 'off' as const } }
    const others = await adviceWith([unchecked, Visit, Guard, Door, Label])
    equal(others?.includes('Site.'), false)
  })

  test('says nothing where clients may not aggregate, or the check is off', async () => {
    equal(await advised({}), [])
    equal(await advised({ ...on, API_SCHEMA_CHECK: 'off' }), [])
    const closed = { meta: { allow_aggregation: false } }
    const [message = ''] = await advised(
      on,
      models.map((model) => (model === Visit ? { ...Visit, ...closed } : model)),
    )
    equal(message.includes('visits'), false)
    equal(message.includes('guards'), true)
  })

  test('says nothing of a key that has an index', async () => {
    await db.execScript(`
      create index visits_site on visits (site_id, minutes);
      create index guards_site on guards (site_id);
      create index site_labels_label on site_labels (label_id);`)
    equal(await advised(on), [])
  })
})

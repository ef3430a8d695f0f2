// The admin of the library: books with their authors, to view, create and change.

import {
  Admin,
  BooleanField,
  BooleanInput,
  Create,
  DataTable,
  Edit,
  List,
  NumberInput,
  ReferenceField,
  ReferenceInput,
  ReferenceManyField,
  Resource,
  Show,
  SimpleForm,
  SimpleShowLayout,
  TextField,
  TextInput,
} from 'react-admin'
import { createRoot } from 'react-dom/client'
import { authorization, authProvider } from './auth-provider.ts'
import { dataProvider } from './data-provider.ts'

const provider = dataProvider('/api', {
  headers: () => authorization(sessionStorage),
  keys: { countries: ['code'] },
})

const filters = [
  <TextInput key="title" source="title__ilike" label="Title" alwaysOn />,
  <NumberInput key="price" source="price__le" label="Price, at most" />,
]

const columns = (
  <DataTable>
    <DataTable.Col source="title" />
    <DataTable.Col source="author_id" label="Author">
      <ReferenceField source="author_id" reference="authors" />
    </DataTable.Col>
    <DataTable.NumberCol source="price" />
    <DataTable.Col source="in_stock" field={BooleanField} />
  </DataTable>
)

const Books = () => (
  <List disableAuthentication filters={filters} sort={{ field: 'title', order: 'ASC' }}>
    {columns}
  </List>
)

const fields = (
  <SimpleForm>
    <TextInput source="title" required />
    <ReferenceInput source="author_id" reference="authors" />
    <ReferenceInput source="publisher_id" reference="publishers" />
    <NumberInput source="first_published" />
    <TextInput source="language" />
    <NumberInput source="pages" />
    <TextInput source="price" />
    <BooleanInput source="in_stock" />
  </SimpleForm>
)

const NewBook = () => <Create redirect="list">{fields}</Create>
const EditBook = () => <Edit mutationMode="pessimistic">{fields}</Edit>

const Authors = () => (
  <List disableAuthentication sort={{ field: 'name', order: 'ASC' }}>
    <DataTable rowClick="show">
      <DataTable.Col source="name" />
      <DataTable.Col source="country_code" label="Country">
        <ReferenceField source="country_code" reference="countries" link={false} />
      </DataTable.Col>
    </DataTable>
  </List>
)

const Author = () => (
  <Show disableAuthentication>
    <SimpleShowLayout>
      <TextField source="name" />
      <ReferenceManyField reference="books" target="author_id">
        {columns}
      </ReferenceManyField>
    </SimpleShowLayout>
  </Show>
)

createRoot(document.getElementById('root') as HTMLElement).render(
  <Admin
    disableTelemetry
    dataProvider={provider as never}
    authProvider={authProvider('', sessionStorage)}
  >
    <Resource
      name="books"
      list={Books}
      edit={EditBook}
      create={NewBook}
      recordRepresentation="title"
    />
    <Resource name="authors" list={Authors} show={Author} recordRepresentation="name" />
    <Resource name="publishers" recordRepresentation="name" />
    <Resource name="countries" recordRepresentation="name" />
  </Admin>,
)

/**
 * A register of coordinate systems in the manner of proj.db: keys of texts in two columns, tables WITHOUT ROWID, numbers as REAL, booleans
 * by CHECK, a view of a UNION, and pairs of type and key that refer to several tables. Only SQLite has it.
 */
import type { Fixture } from './fixture.ts'

const script = `
  create table unit_of_measure (
    auth_name text not null check (length(auth_name) >= 1), code integer_or_text not null check (length(code) >= 1),
    name text not null check (length(name) >= 2), type text not null check (type in ('length', 'angle', 'scale')),
    conv_factor float, proj_short_name text, deprecated boolean not null check (deprecated in (0, 1)),
    constraint pk_unit primary key (auth_name, code)) without rowid;
  create table ellipsoid (
    auth_name text not null, code integer_or_text not null, name text not null, semi_major_axis float not null check (semi_major_axis > 0),
    uom_auth_name text not null, uom_code integer_or_text not null, inv_flattening float check (inv_flattening = 0 or inv_flattening >= 1.0),
    deprecated boolean not null check (deprecated in (0, 1)), constraint pk_ellipsoid primary key (auth_name, code),
    constraint fk_unit foreign key (uom_auth_name, uom_code) references unit_of_measure (auth_name, code)) without rowid;
  create table extent (
    auth_name text not null, code integer_or_text not null, name text not null, south_lat float check (south_lat between -90 and 90),
    north_lat float check (north_lat between -90 and 90), west_lon float, east_lon float, primary key (auth_name, code)) without rowid;
  create table usage (
    auth_name text, code text, object_table_name text not null check (object_table_name in ('ellipsoid', 'unit_of_measure')),
    object_auth_name text not null, object_code integer_or_text not null, extent_auth_name text not null, extent_code integer_or_text not null,
    constraint fk_extent foreign key (extent_auth_name, extent_code) references extent (auth_name, code));
  create table alias_name (table_name text not null, auth_name text not null, code integer_or_text not null, alt_name text not null);
  create table metadata (key text not null primary key, value text not null) without rowid;
  create view object_view as
    select 'ellipsoid' as table_name, auth_name, code, name, deprecated from ellipsoid
    union all select 'unit_of_measure', auth_name, code, name, deprecated from unit_of_measure;

  insert into metadata values ('DATABASE.LAYOUT.VERSION.MAJOR', '1'), ('EPSG.DATE', '2024-05-14'), ('a/b, "c"', '');
  insert into unit_of_measure values
    ('EPSG', 9001, 'metre', 'length', 1.0, 'm', 0), ('EPSG', 9102, 'degree', 'angle', 0.0174532925199432781, 'deg', 0),
    ('EPSG', 9201, 'unity', 'scale', 1.0, null, 0), ('PROJ', 'EM', '1/2 metre', 'length', 0.5, 'm,2', 1), ('ESRI', '0109030', 'Foot_Gold', 'length', 0.3047997101815088, null, 0);
  insert into ellipsoid values
    ('EPSG', 7030, 'WGS 84', 6378137.0, 'EPSG', 9001, 298.257223563, 0), ('EPSG', 7048, 'Sphäre', 6371000.0, 'EPSG', 9001, 0.0, 1),
    ('PROJ', 'EARTH', 'Earth', 6.37813e6, 'PROJ', 'EM', null, 0), ('IAU_2015', '49900', 'Mars', 3396190.0, 'EPSG', 9001, 169.894447223612, 0);
  insert into extent values ('EPSG', 1262, 'World', -90.0, 90.0, -180.0, 180.0), ('EPSG', 3544, 'Österreich', 46.4, 49.02, 9.53, 17.17), ('PROJ', 'EXTENT_UNKNOWN', 'unknown', null, null, null, null);
  insert into usage values
    ('EPSG', '1', 'ellipsoid', 'EPSG', 7030, 'EPSG', 1262), ('EPSG', '2', 'ellipsoid', 'EPSG', 7048, 'EPSG', 3544),
    (null, null, 'unit_of_measure', 'PROJ', 'EM', 'PROJ', 'EXTENT_UNKNOWN'), (null, null, 'unit_of_measure', 'PROJ', 'EM', 'PROJ', 'EXTENT_UNKNOWN');
  insert into alias_name values ('ellipsoid', 'EPSG', 7030, 'WGS84'), ('ellipsoid', 'EPSG', 7030, 'World Geodetic System'), ('unit_of_measure', 'EPSG', 9001, 'm');`

export const coordinates: Fixture = {
  name: 'a register of coordinate systems',
  variants: { sqlite: { script } },
}

/**
 * A web shop in the manner of OpenCart: no foreign keys, MyISAM beside InnoDB, texts in several languages under keys of two columns, zero
 * dates, a column called `column`, and documents in texts. Only MariaDB and MySQL have it.
 */
import { type Fixture, written } from './fixture.ts'

const script = `
  set sql_mode = 'NO_ENGINE_SUBSTITUTION'; alter database default collate utf8mb4_general_ci;
  create table oc_language (
    language_id int(11) not null auto_increment, name varchar(32) not null, code varchar(5) not null, sort_order int(3) not null default 0,
    status tinyint(1) not null, primary key (language_id), key name (name)) engine=MyISAM;
  create table oc_product (
    product_id int(11) not null auto_increment, model varchar(64) not null, sku varchar(64) not null, quantity int(4) not null default 0,
    image varchar(255), manufacturer_id int(11) not null, shipping tinyint(1) not null default 1, price decimal(15,4) not null default 0.0000,
    date_available date not null default '0000-00-00', weight decimal(15,8) not null default 0.00000000, status tinyint(1) not null default 0,
    viewed int(5) not null default 0, date_added datetime not null, date_modified datetime not null, primary key (product_id)) engine=MyISAM;
  create table oc_product_description (
    product_id int(11) not null, language_id int(11) not null, name varchar(255) not null, description text not null, tag text not null,
    meta_title varchar(255) not null, primary key (product_id, language_id), key name (name)) engine=MyISAM;
  create table oc_category (
    category_id int(11) not null auto_increment, image varchar(255), parent_id int(11) not null default 0, top tinyint(1) not null,
    «column» int(3) not null, sort_order int(3) not null default 0, status tinyint(1) not null, primary key (category_id),
    key parent_id (parent_id)) engine=InnoDB;
  create table oc_category_description (
    category_id int(11) not null, language_id int(11) not null, name varchar(255) not null, primary key (category_id, language_id));
  create table oc_category_path (category_id int(11) not null, path_id int(11) not null, level int(11) not null, primary key (category_id, path_id));
  create table oc_product_to_category (product_id int(11) not null, category_id int(11) not null, primary key (product_id, category_id));
  create table oc_manufacturer (manufacturer_id int(11) not null auto_increment primary key, name varchar(64) not null, sort_order int(3) not null);
  create table oc_customer (
    customer_id int(11) not null auto_increment primary key, language_id int(11) not null, firstname varchar(32) not null, email varchar(96) not null,
    password varchar(255) not null, salt varchar(9) not null, cart text, custom_field text not null, ip varchar(40) not null,
    newsletter tinyint(1) not null default 0, safe tinyint(1) not null, token text not null, date_added datetime not null);
  create table oc_order (
    order_id int(11) not null auto_increment primary key, customer_id int(11) not null default 0, comment text not null,
    total decimal(15,4) not null default 0.0000, currency_code varchar(3) not null, currency_value decimal(15,8) not null default 1.00000000,
    date_added datetime not null, date_modified datetime not null default '0000-00-00 00:00:00');
  create table oc_order_product (
    order_product_id int(11) not null auto_increment primary key, order_id int(11) not null, product_id int(11) not null, name varchar(255) not null,
    quantity int(4) not null, price decimal(15,4) not null default 0.0000, key order_id (order_id));
  create table oc_setting (
    setting_id int(11) not null auto_increment primary key, store_id int(11) not null default 0, code varchar(128) not null, «key» varchar(128) not null,
    value text not null, serialized tinyint(1) not null) engine=MyISAM;
  create table oc_product_viewed (product_id int(11) not null, seen date not null) engine=MyISAM;

  insert into oc_language values (1, 'English', 'en-gb', 1, 1), (2, 'Čeština', 'cs-cz', 2, 0);
  insert into oc_product values
    (28, 'Product 1', '', 939, 'catalog/demo/htc.jpg', 5, 1, 100.0000, '2009-02-03', 146.40000000, 1, 0, '2009-02-03 16:06:50', '2011-09-30 01:05:39'),
    (29, 'Řada', 'A&B/C', 0, null, 0, 0, 0.0001, '0000-00-00', 0.00000001, 0, -1, '0000-00-00 00:00:00', '0000-00-00 00:00:00'),
    (30, '', '', -5, '', 5, 1, -99999999999.9999, '2009-02-00', 5.00000000, 1, 99999, '2009-02-03 16:06:50', '9999-12-31 23:59:59');
  insert into oc_product_description values
    (28, 1, 'HTC Touch HD', '&lt;p&gt;A phone&lt;/p&gt;', '', 'HTC'), (28, 2, 'htc touch hd', '', 'a,b', ''), (29, 2, 'Řada', 'x', '', ''), (77, 1, 'of nothing', '', '', '');
  insert into oc_category values (20, null, 0, 1, 1, 1, 1), (26, '', 20, 0, 0, 1, 0), (27, 'a.png', 99, 0, 4, -1, 1);
  insert into oc_category_description values (20, 1, 'Desktops'), (26, 1, 'PC'), (26, 2, 'Počítače');
  insert into oc_category_path values (20, 20, 0), (26, 20, 0), (26, 26, 1);
  insert into oc_product_to_category values (28, 20), (28, 26), (29, 26), (66, 20);
  insert into oc_manufacturer values (5, 'HTC', 0), (6, '', 1);
  insert into oc_customer values
    (1, 1, 'Ada', 'ada@example.org', 'not a hash', 'salt', null, '{"1": "x"}', '10.0.0.1', 1, 0, '', '2024-05-14 10:30:00'),
    (2, 3, 'ADA', '', '', '', 'a:0:{}', '', '::1', 0, 1, 'not a token', '0000-00-00 00:00:00');
  insert into oc_order values (1, 1, '', 101.9950, 'EUR', 0.78460002, '2024-05-14 10:30:00', '0000-00-00 00:00:00'), (2, 0, 'gift', 0, 'USD', 1, '2024-05-14 10:30:01', '2024-05-15 00:00:00');
  insert into oc_order_product values (1, 1, 28, 'HTC Touch HD', 1, 100.0000), (2, 1, 404, 'gone', 2, 0.9975);
  insert into oc_setting values (1, 0, 'config', 'config_name', 'Your Store', 0), (2, 0, 'config', 'config_robots', '["bot","a b"]', 1), (3, 1, '', 'Config_Name', '', 0);
  insert into oc_product_viewed values (28, '2024-05-14'), (28, '2024-05-14'), (29, '0000-00-00');`

const relations = `
  oc_product.manufacturer_id -> oc_manufacturer.manufacturer_id
  oc_product_description.product_id -> oc_product.product_id
  oc_product_description.language_id -> oc_language.language_id
  oc_category.parent_id -> oc_category.category_id
  oc_category_description.category_id -> oc_category.category_id
  oc_category_description.language_id -> oc_language.language_id
  oc_category_path.category_id -> oc_category.category_id
  oc_category_path.path_id -> oc_category.category_id
  oc_product_to_category.product_id -> oc_product.product_id
  oc_product_to_category.category_id -> oc_category.category_id
  oc_customer.language_id -> oc_language.language_id
  oc_order.customer_id -> oc_customer.customer_id
  oc_order_product.order_id -> oc_order.order_id
  oc_order_product.product_id -> oc_product.product_id
  oc_product_viewed.product_id -> oc_product.product_id`

const credential = 'a credential: nobody is shown it unless a model declares it'

const leftOut = {
  'oc_customer.password': credential,
  'oc_customer.salt': credential,
  'oc_customer.token': credential,
  oc_product_to_category: 'pairs of two others: a many-to-many relation of both shows its rows',
}

export const wares: Fixture = {
  name: 'a shop of wares',
  variants: { mysql: { script: written('mysql', script, {}), relations, leftOut } },
}

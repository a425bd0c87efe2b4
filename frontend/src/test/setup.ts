import { addCatalog } from "../i18n/reasons";
import en from "../../../vast/common/catalog/en.json";
import zh from "../../../vast/common/catalog/zh.json";

addCatalog("en", en);
addCatalog("zh", zh);

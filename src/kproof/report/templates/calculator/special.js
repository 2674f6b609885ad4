// erfc(x), the complementary error function of stdlib: not kproof's own work.
//
// @stdlib/math-base-special-erfc 0.2.5, Apache-2.0, Copyright (c) 2016-2026 The Stdlib Authors, and
// all that it needs; the notices of its sources stand at the end. Made with
//   npm install @stdlib/math-base-special-erfc@0.2.5 esbuild@0.28.2
//   echo "module.exports = require('@stdlib/math-base-special-erfc');" > special.cjs
//   npx esbuild special.cjs --bundle --format=iife --global-name=erfc --minify
// Unlike Math.exp, it gives the same digits in every browser.
var erfc=(()=>{var i=(r,t)=>()=>{try{return t||r((t={exports:{}}).exports,t),t.exports}catch(a){throw t=0,a}};var ir=i((dv,tr)=>{"use strict";function ps(r){return r!==r}tr.exports=ps});var l=i((hv,ar)=>{"use strict";var fs=ir();ar.exports=fs});var nr=i((_v,sr)=>{"use strict";var ls=Math.floor;sr.exports=ls});var or=i((mv,ur)=>{"use strict";var ys=nr();ur.exports=ys});var cr=i((Ev,vr)=>{"use strict";var qs=Math.ceil;vr.exports=qs});var fr=i((Sv,pr)=>{"use strict";var As=cr();pr.exports=As});var yr=i((Iv,lr)=>{"use strict";var gs=or(),ds=fr();function hs(r){return r<0?ds(r):gs(r)}lr.exports=hs});var Ar=i((wv,qr)=>{"use strict";var _s=yr();qr.exports=_s});var dr=i((bv,gr)=>{"use strict";gr.exports=Number});var _r=i((Nv,hr)=>{"use strict";var ms=dr();hr.exports=ms});var y=i((xv,mr)=>{"use strict";var Es=_r(),Ss=Es.NEGATIVE_INFINITY;mr.exports=Ss});var q=i((Ov,Er)=>{"use strict";var Is=Number.POSITIVE_INFINITY;Er.exports=Is});var w=i((Uv,Sr)=>{"use strict";var ws=1023;Sr.exports=ws});var wr=i((Tv,Ir)=>{"use strict";var bs=1023;Ir.exports=bs});var Nr=i((Fv,br)=>{"use strict";var Ns=-1023;br.exports=Ns});var Or=i((Lv,xr)=>{"use strict";var xs=-1074;xr.exports=xs});var Tr=i((Pv,Ur)=>{"use strict";var Os=q(),Us=y();function Ts(r){return r===Os||r===Us}Ur.exports=Ts});var b=i((Rv,Fr)=>{"use strict";var Fs=Tr();Fr.exports=Fs});var Pr=i((Wv,Lr)=>{"use strict";var Ls=2147483648;Lr.exports=Ls});var Wr=i((Gv,Rr)=>{"use strict";var Ps=2147483647;Rr.exports=Ps});var Mr=i((Mv,Gr)=>{"use strict";var Rs=typeof Object.defineProperty=="function"?Object.defineProperty:null;Gr.exports=Rs});var Xr=i((Hv,Hr)=>{"use strict";var Ws=Mr();function Gs(){try{return Ws({},"x",{}),!0}catch{return!1}}Hr.exports=Gs});var Vr=i((Xv,Cr)=>{"use strict";var Ms=Object.defineProperty;Cr.exports=Ms});var N=i((Cv,Br)=>{"use strict";function Hs(r){return typeof r=="number"}Br.exports=Hs});var x=i((Vv,zr)=>{"use strict";function Xs(r){return r[0]==="-"}function Dr(r){var t="",a;for(a=0;a<r;a++)t+="0";return t}function Cs(r,t,a){var e=!1,s=t-r.length;return s<0||(Xs(r)&&(e=!0,r=r.substr(1)),r=a?r+Dr(s):Dr(s)+r,e&&(r="-"+r)),r}zr.exports=Cs});var Qr=i((Bv,Kr)=>{"use strict";var Vs=N(),Zr=x(),Bs=String.prototype.toLowerCase,$r=String.prototype.toUpperCase;function Ds(r){var t,a,e;switch(r.specifier){case"b":t=2;break;case"o":t=8;break;case"x":case"X":t=16;break;default:t=10;break}if(a=r.arg,e=parseInt(a,10),!isFinite(e)){if(!Vs(a))throw new Error("invalid integer. Value: "+a);e=0}return e<0&&(r.specifier==="u"||t!==10)&&(e=4294967295+e+1),e<0?(a=(-e).toString(t),r.precision&&(a=Zr(a,r.precision,r.padRight)),a="-"+a):(a=e.toString(t),!e&&!r.precision?a="":r.precision&&(a=Zr(a,r.precision,r.padRight)),r.sign&&(a=r.sign+a)),t===16&&(r.alternate&&(a="0x"+a),a=r.specifier===$r.call(r.specifier)?$r.call(a):Bs.call(a)),t===8&&r.alternate&&a.charAt(0)!=="0"&&(a="0"+a),a}Kr.exports=Ds});var Yr=i((Dv,jr)=>{"use strict";function zs(r){return typeof r=="string"}jr.exports=zs});var re=i((zv,kr)=>{"use strict";var Zs=Math.abs,$s=String.prototype.toLowerCase,Jr=String.prototype.toUpperCase,c=String.prototype.replace,Ks=/e\+(\d)$/,Qs=/e-(\d)$/,js=/^(\d+)$/,Ys=/^(\d+)e/,Js=/\.0$/,ks=/\.0*e/,rn=/(\..*[^0])0*e/;function en(r,t){var a,e;switch(t.specifier){case"e":case"E":e=r.toExponential(t.precision);break;case"f":case"F":e=r.toFixed(t.precision);break;case"g":case"G":Zs(r)<1e-4?(a=t.precision,a>0&&(a-=1),e=r.toExponential(a)):e=r.toPrecision(t.precision),t.alternate||(e=c.call(e,rn,"$1e"),e=c.call(e,ks,"e"),e=c.call(e,Js,""));break;default:throw new Error("invalid double notation. Value: "+t.specifier)}return e=c.call(e,Ks,"e+0$1"),e=c.call(e,Qs,"e-0$1"),t.alternate&&(e=c.call(e,js,"$1."),e=c.call(e,Ys,"$1.e")),r>=0&&t.sign&&(e=t.sign+e),e=t.specifier===Jr.call(t.specifier)?Jr.call(e):$s.call(e),e}kr.exports=en});var ie=i((Zv,te)=>{"use strict";function ee(r){var t="",a;for(a=0;a<r;a++)t+=" ";return t}function tn(r,t,a){var e=t-r.length;return e<0||(r=a?r+ee(e):ee(e)+r),r}te.exports=tn});var se=i(($v,ae)=>{"use strict";var an=Qr(),sn=Yr(),nn=N(),un=re(),on=ie(),vn=x(),cn=String.fromCharCode,pn=Array.isArray;function E(r){return r!==r}function fn(r){var t={};return t.specifier=r.specifier,t.precision=r.precision===void 0?1:r.precision,t.width=r.width,t.flags=r.flags||"",t.mapping=r.mapping,t}function ln(r){var t,a,e,s,n,u,o,v,f,m;if(!pn(r))throw new TypeError("invalid argument. First argument must be an array. Value: `"+r+"`.");for(u="",o=1,f=0;f<r.length;f++)if(e=r[f],sn(e))u+=e;else{if(t=e.precision!==void 0,e=fn(e),!e.specifier)throw new TypeError("invalid argument. Token is missing `specifier` property. Index: `"+f+"`. Value: `"+e+"`.");for(e.mapping&&(o=e.mapping),a=e.flags,m=0;m<a.length;m++)switch(s=a.charAt(m),s){case" ":e.sign=" ";break;case"+":e.sign="+";break;case"-":e.padRight=!0,e.padZeros=!1;break;case"0":e.padZeros=a.indexOf("-")<0;break;case"#":e.alternate=!0;break;default:throw new Error("invalid flag: "+s)}if(e.width==="*"){if(e.width=parseInt(arguments[o],10),o+=1,E(e.width))throw new TypeError("the argument for * width at position "+o+" is not a number. Value: `"+e.width+"`.");e.width<0&&(e.padRight=!0,e.width=-e.width)}if(t&&e.precision==="*"){if(e.precision=parseInt(arguments[o],10),o+=1,E(e.precision))throw new TypeError("the argument for * precision at position "+o+" is not a number. Value: `"+e.precision+"`.");e.precision<0&&(e.precision=1,t=!1)}switch(e.arg=arguments[o],e.specifier){case"b":case"o":case"x":case"X":case"d":case"i":case"u":t&&(e.padZeros=!1),e.arg=an(e);break;case"s":e.maxWidth=t?e.precision:-1,e.arg=String(e.arg);break;case"c":if(!E(e.arg)){if(n=parseInt(e.arg,10),n<0||n>127)throw new Error("invalid character code. Value: "+e.arg);e.arg=E(n)?String(e.arg):cn(n)}break;case"e":case"E":case"f":case"F":case"g":case"G":if(t||(e.precision=6),v=parseFloat(e.arg),!isFinite(v)){if(!nn(e.arg))throw new Error("invalid floating-point number. Value: "+u);v=e.arg,e.padZeros=!1}e.arg=un(v,e);break;default:throw new Error("invalid specifier: "+e.specifier)}e.maxWidth>=0&&e.arg.length>e.maxWidth&&(e.arg=e.arg.substring(0,e.maxWidth)),e.padZeros?e.arg=vn(e.arg,e.width||e.precision,e.padRight):e.width&&(e.arg=on(e.arg,e.width,e.padRight)),u+=e.arg||"",o+=1}return u}ae.exports=ln});var ue=i((Kv,ne)=>{"use strict";var yn=se();ne.exports=yn});var ve=i((Qv,oe)=>{"use strict";var S=/%(?:([1-9]\d*)\$)?([0 +\-#]*)(\*|\d+)?(?:(\.)(\*|\d+)?)?[hlL]?([%A-Za-z])/g;function qn(r){var t={mapping:r[1]?parseInt(r[1],10):void 0,flags:r[2],width:r[3],precision:r[5],specifier:r[6]};return r[4]==="."&&r[5]===void 0&&(t.precision="1"),t}function An(r){var t,a,e,s;for(a=[],s=0,e=S.exec(r);e;)t=r.slice(s,S.lastIndex-e[0].length),t.length&&a.push(t),e[6]==="%"?a.push("%"):a.push(qn(e)),s=S.lastIndex,e=S.exec(r);return t=r.slice(s),t.length&&a.push(t),a}oe.exports=An});var pe=i((jv,ce)=>{"use strict";var gn=ve();ce.exports=gn});var le=i((Yv,fe)=>{"use strict";function dn(r){return typeof r=="string"}fe.exports=dn});var Ae=i((Jv,qe)=>{"use strict";var hn=ue(),_n=pe(),mn=le();function ye(r){var t,a;if(!mn(r))throw new TypeError(ye("invalid argument. First argument must be a string. Value: `%s`.",r));for(t=[_n(r)],a=1;a<arguments.length;a++)t.push(arguments[a]);return hn.apply(null,t)}qe.exports=ye});var de=i((kv,ge)=>{"use strict";var En=Ae();ge.exports=En});var Ie=i((rc,Se)=>{"use strict";var he=de(),p=Object.prototype,_e=p.toString,me=p.__defineGetter__,Ee=p.__defineSetter__,Sn=p.__lookupGetter__,In=p.__lookupSetter__;function wn(r,t,a){var e,s,n,u;if(typeof r!="object"||r===null||_e.call(r)==="[object Array]")throw new TypeError(he("invalid argument. First argument must be an object. Value: `%s`.",r));if(typeof a!="object"||a===null||_e.call(a)==="[object Array]")throw new TypeError(he("invalid argument. Property descriptor must be an object. Value: `%s`.",a));if(s="value"in a,s&&(Sn.call(r,t)||In.call(r,t)?(e=r.__proto__,r.__proto__=p,delete r[t],r[t]=a.value,r.__proto__=e):r[t]=a.value),n="get"in a,u="set"in a,s&&(n||u))throw new Error("invalid argument. Cannot specify one or more accessors and a value or writable attribute in the property descriptor.");return n&&me&&me.call(r,t,a.get),u&&Ee&&Ee.call(r,t,a.set),r}Se.exports=wn});var be=i((ec,we)=>{"use strict";var bn=Xr(),Nn=Vr(),xn=Ie(),O;bn()?O=Nn:O=xn;we.exports=O});var xe=i((tc,Ne)=>{"use strict";var On=be();function Un(r,t,a){On(r,t,{configurable:!1,enumerable:!1,writable:!1,value:a})}Ne.exports=Un});var U=i((ic,Oe)=>{"use strict";var Tn=xe();Oe.exports=Tn});var Te=i((ac,Ue)=>{"use strict";function Fn(){return typeof Symbol=="function"&&typeof Symbol("foo")=="symbol"}Ue.exports=Fn});var Le=i((sc,Fe)=>{"use strict";var Ln=Te();Fe.exports=Ln});var Re=i((nc,Pe)=>{"use strict";var Pn=Le(),Rn=Pn();function Wn(){return Rn&&typeof Symbol.toStringTag=="symbol"}Pe.exports=Wn});var Ge=i((uc,We)=>{"use strict";var Gn=Re();We.exports=Gn});var T=i((oc,Me)=>{"use strict";var Mn=Object.prototype.toString;Me.exports=Mn});var Xe=i((vc,He)=>{"use strict";var Hn=T();function Xn(r){return Hn.call(r)}He.exports=Xn});var Ve=i((cc,Ce)=>{"use strict";var Cn=Object.prototype.hasOwnProperty;function Vn(r,t){return r==null?!1:Cn.call(r,t)}Ce.exports=Vn});var De=i((pc,Be)=>{"use strict";var Bn=Ve();Be.exports=Bn});var Ze=i((fc,ze)=>{"use strict";var Dn=typeof Symbol=="function"?Symbol:void 0;ze.exports=Dn});var Ke=i((lc,$e)=>{"use strict";var zn=Ze();$e.exports=zn});var Ye=i((yc,je)=>{"use strict";var Qe=Ke(),Zn=typeof Qe=="function"?Qe.toStringTag:"";je.exports=Zn});var ke=i((qc,Je)=>{"use strict";var $n=De(),A=Ye(),F=T();function Kn(r){var t,a,e;if(r==null)return F.call(r);a=r[A],t=$n(r,A);try{r[A]=void 0}catch{return F.call(r)}return e=F.call(r),t?r[A]=a:delete r[A],e}Je.exports=Kn});var g=i((Ac,rt)=>{"use strict";var Qn=Ge(),jn=Xe(),Yn=ke(),L;Qn()?L=Yn:L=jn;rt.exports=L});var tt=i((gc,et)=>{"use strict";var Jn=g(),kn=typeof Uint32Array=="function";function ru(r){return kn&&r instanceof Uint32Array||Jn(r)==="[object Uint32Array]"}et.exports=ru});var at=i((dc,it)=>{"use strict";var eu=tt();it.exports=eu});var nt=i((hc,st)=>{"use strict";var tu=4294967295;st.exports=tu});var ot=i((_c,ut)=>{"use strict";var iu=typeof Uint32Array=="function"?Uint32Array:null;ut.exports=iu});var pt=i((mc,ct)=>{"use strict";var au=at(),P=nt(),vt=ot();function su(){var r,t;if(typeof vt!="function")return!1;try{t=[1,3.14,-3.14,P+1,P+2],t=new vt(t),r=au(t)&&t[0]===1&&t[1]===3&&t[2]===P-2&&t[3]===0&&t[4]===1}catch{r=!1}return r}ct.exports=su});var lt=i((Ec,ft)=>{"use strict";var nu=pt();ft.exports=nu});var qt=i((Sc,yt)=>{"use strict";var uu=typeof Uint32Array=="function"?Uint32Array:void 0;yt.exports=uu});var gt=i((Ic,At)=>{"use strict";function ou(){throw new Error("not implemented")}At.exports=ou});var d=i((wc,dt)=>{"use strict";var vu=lt(),cu=qt(),pu=gt(),R;vu()?R=cu:R=pu;dt.exports=R});var _t=i((bc,ht)=>{"use strict";var fu=g(),lu=typeof Float64Array=="function";function yu(r){return lu&&r instanceof Float64Array||fu(r)==="[object Float64Array]"}ht.exports=yu});var Et=i((Nc,mt)=>{"use strict";var qu=_t();mt.exports=qu});var It=i((xc,St)=>{"use strict";var Au=typeof Float64Array=="function"?Float64Array:null;St.exports=Au});var Nt=i((Oc,bt)=>{"use strict";var gu=Et(),wt=It();function du(){var r,t;if(typeof wt!="function")return!1;try{t=new wt([1,3.14,-3.14,NaN]),r=gu(t)&&t[0]===1&&t[1]===3.14&&t[2]===-3.14&&t[3]!==t[3]}catch{r=!1}return r}bt.exports=du});var Ot=i((Uc,xt)=>{"use strict";var hu=Nt();xt.exports=hu});var Tt=i((Tc,Ut)=>{"use strict";var _u=typeof Float64Array=="function"?Float64Array:void 0;Ut.exports=_u});var Lt=i((Fc,Ft)=>{"use strict";function mu(){throw new Error("not implemented")}Ft.exports=mu});var h=i((Lc,Pt)=>{"use strict";var Eu=Ot(),Su=Tt(),Iu=Lt(),W;Eu()?W=Su:W=Iu;Pt.exports=W});var Wt=i((Pc,Rt)=>{"use strict";var wu=g(),bu=typeof Uint8Array=="function";function Nu(r){return bu&&r instanceof Uint8Array||wu(r)==="[object Uint8Array]"}Rt.exports=Nu});var Mt=i((Rc,Gt)=>{"use strict";var xu=Wt();Gt.exports=xu});var Xt=i((Wc,Ht)=>{"use strict";var Ou=255;Ht.exports=Ou});var Vt=i((Gc,Ct)=>{"use strict";var Uu=typeof Uint8Array=="function"?Uint8Array:null;Ct.exports=Uu});var zt=i((Mc,Dt)=>{"use strict";var Tu=Mt(),G=Xt(),Bt=Vt();function Fu(){var r,t;if(typeof Bt!="function")return!1;try{t=[1,3.14,-3.14,G+1,G+2],t=new Bt(t),r=Tu(t)&&t[0]===1&&t[1]===3&&t[2]===G-2&&t[3]===0&&t[4]===1}catch{r=!1}return r}Dt.exports=Fu});var $t=i((Hc,Zt)=>{"use strict";var Lu=zt();Zt.exports=Lu});var Qt=i((Xc,Kt)=>{"use strict";var Pu=typeof Uint8Array=="function"?Uint8Array:void 0;Kt.exports=Pu});var Yt=i((Cc,jt)=>{"use strict";function Ru(){throw new Error("not implemented")}jt.exports=Ru});var kt=i((Vc,Jt)=>{"use strict";var Wu=$t(),Gu=Qt(),Mu=Yt(),M;Wu()?M=Gu:M=Mu;Jt.exports=M});var ei=i((Bc,ri)=>{"use strict";var Hu=g(),Xu=typeof Uint16Array=="function";function Cu(r){return Xu&&r instanceof Uint16Array||Hu(r)==="[object Uint16Array]"}ri.exports=Cu});var ii=i((Dc,ti)=>{"use strict";var Vu=ei();ti.exports=Vu});var si=i((zc,ai)=>{"use strict";var Bu=65535;ai.exports=Bu});var ui=i((Zc,ni)=>{"use strict";var Du=typeof Uint16Array=="function"?Uint16Array:null;ni.exports=Du});var ci=i(($c,vi)=>{"use strict";var zu=ii(),H=si(),oi=ui();function Zu(){var r,t;if(typeof oi!="function")return!1;try{t=[1,3.14,-3.14,H+1,H+2],t=new oi(t),r=zu(t)&&t[0]===1&&t[1]===3&&t[2]===H-2&&t[3]===0&&t[4]===1}catch{r=!1}return r}vi.exports=Zu});var fi=i((Kc,pi)=>{"use strict";var $u=ci();pi.exports=$u});var yi=i((Qc,li)=>{"use strict";var Ku=typeof Uint16Array=="function"?Uint16Array:void 0;li.exports=Ku});var Ai=i((jc,qi)=>{"use strict";function Qu(){throw new Error("not implemented")}qi.exports=Qu});var di=i((Yc,gi)=>{"use strict";var ju=fi(),Yu=yi(),Ju=Ai(),X;ju()?X=Yu:X=Ju;gi.exports=X});var _i=i((Jc,hi)=>{"use strict";var ku=kt(),ro=di(),eo={uint16:ro,uint8:ku};hi.exports=eo});var Ii=i((kc,Si)=>{"use strict";var mi=_i(),Ei;function to(){var r,t;return r=new mi.uint16(1),r[0]=4660,t=new mi.uint8(r.buffer),t[0]===52}Ei=to();Si.exports=Ei});var _=i((rp,wi)=>{"use strict";var io=Ii();wi.exports=io});var xi=i((ep,Ni)=>{"use strict";var ao=_(),bi,C,V;ao===!0?(C=1,V=0):(C=0,V=1);bi={HIGH:C,LOW:V};Ni.exports=bi});var B=i((tp,Fi)=>{"use strict";var so=d(),no=h(),Ui=xi(),Ti=new no(1),Oi=new so(Ti.buffer),uo=Ui.HIGH,oo=Ui.LOW;function vo(r,t,a,e){return Ti[0]=r,t[e]=Oi[uo],t[e+a]=Oi[oo],t}Fi.exports=vo});var Pi=i((ip,Li)=>{"use strict";var co=B();function po(r){return co(r,[0,0],1,0)}Li.exports=po});var D=i((ap,Wi)=>{"use strict";var fo=U(),Ri=Pi(),lo=B();fo(Ri,"assign",lo);Wi.exports=Ri});var Mi=i((sp,Gi)=>{"use strict";var yo=_(),z;yo===!0?z=1:z=0;Gi.exports=z});var Ci=i((np,Xi)=>{"use strict";var qo=d(),Ao=h(),go=Mi(),Hi=new Ao(1),ho=new qo(Hi.buffer);function _o(r){return Hi[0]=r,ho[go]}Xi.exports=_o});var Z=i((up,Vi)=>{"use strict";var mo=Ci();Vi.exports=mo});var zi=i((op,Di)=>{"use strict";var Eo=_(),Bi,$,K;Eo===!0?($=1,K=0):($=0,K=1);Bi={HIGH:$,LOW:K};Di.exports=Bi});var ji=i((vp,Qi)=>{"use strict";var So=d(),Io=h(),$i=zi(),Ki=new Io(1),Zi=new So(Ki.buffer),wo=$i.HIGH,bo=$i.LOW;function No(r,t){return Zi[wo]=r,Zi[bo]=t,Ki[0]}Qi.exports=No});var Q=i((cp,Yi)=>{"use strict";var xo=ji();Yi.exports=xo});var ki=i((pp,Ji)=>{"use strict";var Oo=Pr(),Uo=Wr(),To=D(),Fo=Z(),Lo=Q(),j=[0,0];function Po(r,t){var a,e;return To.assign(r,j,1,0),a=j[0],a&=Uo,e=Fo(t),e&=Oo,a|=e,Lo(a,j[1])}Ji.exports=Po});var ea=i((fp,ra)=>{"use strict";var Ro=ki();ra.exports=Ro});var ia=i((lp,ta)=>{"use strict";var Wo=22250738585072014e-324;ta.exports=Wo});var sa=i((yp,aa)=>{"use strict";function Go(r){return Math.abs(r)}aa.exports=Go});var ua=i((qp,na)=>{"use strict";var Mo=sa();na.exports=Mo});var Y=i((Ap,oa)=>{"use strict";var Ho=ia(),Xo=b(),Co=l(),Vo=ua(),Bo=4503599627370496;function Do(r,t,a,e){return Co(r)||Xo(r)?(t[e]=r,t[e+a]=0,t):r!==0&&Vo(r)<Ho?(t[e]=r*Bo,t[e+a]=-52,t):(t[e]=r,t[e+a]=0,t)}oa.exports=Do});var ca=i((gp,va)=>{"use strict";var zo=Y();function Zo(r){return zo(r,[0,0],1,0)}va.exports=Zo});var la=i((dp,fa)=>{"use strict";var $o=U(),pa=ca(),Ko=Y();$o(pa,"assign",Ko);fa.exports=pa});var qa=i((hp,ya)=>{"use strict";var Qo=2146435072;ya.exports=Qo});var ga=i((_p,Aa)=>{"use strict";var jo=Z(),Yo=qa(),Jo=w();function ko(r){var t=jo(r);return t=(t&Yo)>>>20,t-Jo|0}Aa.exports=ko});var ha=i((mp,da)=>{"use strict";var r0=ga();da.exports=r0});var ma=i((Ep,_a)=>{"use strict";var e0=q(),t0=y(),i0=w(),a0=wr(),s0=Nr(),n0=Or(),u0=l(),o0=b(),v0=ea(),c0=la().assign,p0=ha(),f0=D(),l0=Q(),y0=2220446049250313e-31,q0=2148532223,J=[0,0],k=[0,0];function A0(r,t){var a,e;return t===0||r===0||u0(r)||o0(r)?r:(c0(r,J,1,0),r=J[0],t+=J[1],t+=p0(r),t<n0?v0(0,r):t>a0?r<0?t0:e0:(t<=s0?(t+=52,e=y0):e=1,f0.assign(r,k,1,0),a=k[0],a&=q0,a|=t+i0<<20,e*l0(a,k[1])))}_a.exports=A0});var Sa=i((Sp,Ea)=>{"use strict";var g0=ma();Ea.exports=g0});var wa=i((Ip,Ia)=>{"use strict";function d0(r){return r===0?.16666666666666602:.16666666666666602+r*(-.0027777777777015593+r*(6613756321437934e-20+r*(-16533902205465252e-22+r*41381367970572385e-24)))}Ia.exports=d0});var Na=i((wp,ba)=>{"use strict";var h0=Sa(),_0=wa();function m0(r,t,a){var e,s,n,u;return e=r-t,s=e*e,n=e-s*_0(s),u=1-(t-e*n/(2-n)-r),h0(u,a)}ba.exports=m0});var La=i((bp,Fa)=>{"use strict";var E0=l(),xa=Ar(),S0=y(),Oa=q(),I0=Na(),w0=.6931471803691238,b0=19082149292705877e-26,Ua=1.4426950408889634,N0=709.782712893384,x0=-745.1332191019411,Ta=1/(1<<28),O0=-Ta;function U0(r){var t,a,e;return E0(r)||r===Oa?r:r===S0?0:r>N0?Oa:r<x0?0:r>O0&&r<Ta?1+r:(r<0?e=xa(Ua*r-.5):e=xa(Ua*r+.5),t=r-e*w0,a=e*b0,I0(t,a,e))}Fa.exports=U0});var Ra=i((Np,Pa)=>{"use strict";var T0=La();Pa.exports=T0});var Ga=i((xp,Wa)=>{"use strict";var F0=_(),rr;F0===!0?rr=0:rr=1;Wa.exports=rr});var Ha=i((Op,Ma)=>{"use strict";var L0=d(),P0=h(),R0=Ga(),er=new P0(1),W0=new L0(er.buffer);function G0(r,t){return er[0]=r,W0[R0]=t>>>0,er[0]}Ma.exports=G0});var Ca=i((Up,Xa)=>{"use strict";var M0=Ha();Xa.exports=M0});var Ba=i((Tp,Va)=>{"use strict";function H0(r){return r===0?-.3250421072470015:-.3250421072470015+r*(-.02848174957559851+r*(-.005770270296489442+r*-23763016656650163e-21))}Va.exports=H0});var za=i((Fp,Da)=>{"use strict";function X0(r){return r===0?.39791722395915535:.39791722395915535+r*(.0650222499887673+r*(.005081306281875766+r*(.00013249473800432164+r*-3960228278775368e-21)))}Da.exports=X0});var $a=i((Lp,Za)=>{"use strict";function C0(r){return r===0?.41485611868374833:.41485611868374833+r*(-.3722078760357013+r*(.31834661990116175+r*(-.11089469428239668+r*(.035478304325618236+r*-.002166375594868791))))}Za.exports=C0});var Qa=i((Pp,Ka)=>{"use strict";function V0(r){return r===0?.10642088040084423:.10642088040084423+r*(.540397917702171+r*(.07182865441419627+r*(.12617121980876164+r*(.01363708391202905+r*.011984499846799107))))}Ka.exports=V0});var Ya=i((Rp,ja)=>{"use strict";function B0(r){return r===0?-.6938585727071818:-.6938585727071818+r*(-10.558626225323291+r*(-62.375332450326006+r*(-162.39666946257347+r*(-184.60509290671104+r*(-81.2874355063066+r*-9.814329344169145)))))}ja.exports=B0});var ka=i((Wp,Ja)=>{"use strict";function D0(r){return r===0?19.651271667439257:19.651271667439257+r*(137.65775414351904+r*(434.56587747522923+r*(645.3872717332679+r*(429.00814002756783+r*(108.63500554177944+r*(6.570249770319282+r*-.0604244152148581))))))}Ja.exports=D0});var es=i((Gp,rs)=>{"use strict";function z0(r){return r===0?-.799283237680523:-.799283237680523+r*(-17.757954917754752+r*(-160.63638485582192+r*(-637.5664433683896+r*(-1025.0951316110772+r*-483.5191916086514))))}rs.exports=z0});var is=i((Mp,ts)=>{"use strict";function Z0(r){return r===0?30.33806074348246:30.33806074348246+r*(325.7925129965739+r*(1536.729586084437+r*(3199.8582195085955+r*(2553.0504064331644+r*(474.52854120695537+r*-22.44095244658582)))))}ts.exports=Z0});var us=i((Hp,ns)=>{"use strict";var $0=l(),as=Ra(),K0=Ca(),Q0=q(),j0=y(),Y0=Ba(),J0=za(),k0=$a(),rv=Qa(),ev=Ya(),tv=ka(),iv=es(),av=is(),I=1e-300,sv=13877787807814457e-33,ss=.8450629115104675,nv=.12837916709551256,uv=1,ov=-.0023621185607526594,vv=1,cv=-.009864944034847148,pv=1,fv=-.0098649429247001,lv=1;function yv(r){var t,a,e,s,n,u,o,v;if($0(r))return NaN;if(r===Q0)return 0;if(r===j0)return 2;if(r===0)return 1;if(r<0?(t=!0,a=-r):(t=!1,a=r),a<.84375)return a<sv?1-r:(e=r*r,s=nv+e*Y0(e),n=uv+e*J0(e),u=s/n,r<.25?1-(r+r*u):(s=r*u,s+=r-.5,.5-s));if(a<1.25)return n=a-1,o=ov+n*k0(n),v=vv+n*rv(n),t?1+ss+o/v:1-ss-o/v;if(a<28){if(n=1/(a*a),a<2.857142857142857)s=cv+n*ev(n),n=pv+n*tv(n);else{if(r<-6)return 2-I;s=fv+n*iv(n),n=lv+n*av(n)}return e=K0(a,0),s=as(-(e*e)-.5625)*as((e-a)*(e+a)+s/n),t?2-s/a:s/a}return t?2-I:I*I}ns.exports=yv});var vs=i((Xp,os)=>{"use strict";var qv=us();os.exports=qv});var Av=i((Cp,cs)=>{cs.exports=vs()});return Av();})();
/*! Bundled license information:

@stdlib/math-base-assert-is-nan/lib/main.js:
@stdlib/math-base-assert-is-nan/lib/index.js:
@stdlib/math-base-special-floor/lib/main.js:
@stdlib/math-base-special-floor/lib/index.js:
@stdlib/math-base-special-ceil/lib/main.js:
@stdlib/math-base-special-ceil/lib/index.js:
@stdlib/math-base-special-trunc/lib/main.js:
@stdlib/math-base-special-trunc/lib/index.js:
@stdlib/number-ctor/lib/main.js:
@stdlib/number-ctor/lib/index.js:
@stdlib/constants-float64-ninf/lib/index.js:
@stdlib/constants-float64-pinf/lib/index.js:
@stdlib/constants-float64-exponent-bias/lib/index.js:
@stdlib/constants-float64-max-base2-exponent/lib/index.js:
@stdlib/constants-float64-max-base2-exponent-subnormal/lib/index.js:
@stdlib/constants-float64-min-base2-exponent-subnormal/lib/index.js:
@stdlib/math-base-assert-is-infinite/lib/main.js:
@stdlib/math-base-assert-is-infinite/lib/index.js:
@stdlib/utils-define-property/lib/builtin.js:
@stdlib/utils-define-property/lib/polyfill.js:
@stdlib/utils-define-property/lib/index.js:
@stdlib/utils-define-nonenumerable-read-only-property/lib/main.js:
@stdlib/utils-define-nonenumerable-read-only-property/lib/index.js:
@stdlib/assert-has-symbol-support/lib/main.js:
@stdlib/assert-has-symbol-support/lib/index.js:
@stdlib/assert-has-tostringtag-support/lib/main.js:
@stdlib/assert-has-tostringtag-support/lib/index.js:
@stdlib/utils-native-class/lib/tostring.js:
@stdlib/utils-native-class/lib/main.js:
@stdlib/assert-has-own-property/lib/main.js:
@stdlib/assert-has-own-property/lib/index.js:
@stdlib/symbol-ctor/lib/main.js:
@stdlib/symbol-ctor/lib/index.js:
@stdlib/utils-native-class/lib/tostringtag.js:
@stdlib/utils-native-class/lib/polyfill.js:
@stdlib/utils-native-class/lib/index.js:
@stdlib/assert-is-uint32array/lib/main.js:
@stdlib/assert-is-uint32array/lib/index.js:
@stdlib/constants-uint32-max/lib/index.js:
@stdlib/assert-has-uint32array-support/lib/uint32array.js:
@stdlib/assert-has-uint32array-support/lib/main.js:
@stdlib/assert-has-uint32array-support/lib/index.js:
@stdlib/array-uint32/lib/main.js:
@stdlib/array-uint32/lib/polyfill.js:
@stdlib/array-uint32/lib/index.js:
@stdlib/assert-is-float64array/lib/main.js:
@stdlib/assert-is-float64array/lib/index.js:
@stdlib/assert-has-float64array-support/lib/float64array.js:
@stdlib/assert-has-float64array-support/lib/main.js:
@stdlib/assert-has-float64array-support/lib/index.js:
@stdlib/array-float64/lib/main.js:
@stdlib/array-float64/lib/polyfill.js:
@stdlib/array-float64/lib/index.js:
@stdlib/assert-is-uint8array/lib/main.js:
@stdlib/assert-is-uint8array/lib/index.js:
@stdlib/constants-uint8-max/lib/index.js:
@stdlib/assert-has-uint8array-support/lib/uint8array.js:
@stdlib/assert-has-uint8array-support/lib/main.js:
@stdlib/assert-has-uint8array-support/lib/index.js:
@stdlib/array-uint8/lib/main.js:
@stdlib/array-uint8/lib/polyfill.js:
@stdlib/array-uint8/lib/index.js:
@stdlib/assert-is-uint16array/lib/main.js:
@stdlib/assert-is-uint16array/lib/index.js:
@stdlib/constants-uint16-max/lib/index.js:
@stdlib/assert-has-uint16array-support/lib/uint16array.js:
@stdlib/assert-has-uint16array-support/lib/main.js:
@stdlib/assert-has-uint16array-support/lib/index.js:
@stdlib/array-uint16/lib/main.js:
@stdlib/array-uint16/lib/polyfill.js:
@stdlib/array-uint16/lib/index.js:
@stdlib/assert-is-little-endian/lib/ctors.js:
@stdlib/assert-is-little-endian/lib/main.js:
@stdlib/assert-is-little-endian/lib/index.js:
@stdlib/number-float64-base-to-words/lib/indices.js:
@stdlib/number-float64-base-to-words/lib/assign.js:
@stdlib/number-float64-base-to-words/lib/main.js:
@stdlib/number-float64-base-to-words/lib/index.js:
@stdlib/number-float64-base-get-high-word/lib/high.js:
@stdlib/number-float64-base-get-high-word/lib/main.js:
@stdlib/number-float64-base-get-high-word/lib/index.js:
@stdlib/number-float64-base-from-words/lib/indices.js:
@stdlib/number-float64-base-from-words/lib/main.js:
@stdlib/number-float64-base-from-words/lib/index.js:
@stdlib/math-base-special-copysign/lib/main.js:
@stdlib/math-base-special-copysign/lib/index.js:
@stdlib/constants-float64-smallest-normal/lib/index.js:
@stdlib/math-base-special-abs/lib/index.js:
@stdlib/number-float64-base-normalize/lib/assign.js:
@stdlib/number-float64-base-normalize/lib/main.js:
@stdlib/number-float64-base-normalize/lib/index.js:
@stdlib/constants-float64-high-word-exponent-mask/lib/index.js:
@stdlib/number-float64-base-exponent/lib/main.js:
@stdlib/number-float64-base-exponent/lib/index.js:
@stdlib/math-base-special-ldexp/lib/main.js:
@stdlib/math-base-special-ldexp/lib/index.js:
@stdlib/math-base-special-exp/lib/index.js:
@stdlib/number-float64-base-set-low-word/lib/low.js:
@stdlib/number-float64-base-set-low-word/lib/main.js:
@stdlib/number-float64-base-set-low-word/lib/index.js:
@stdlib/math-base-special-erfc/lib/index.js:
  (**
  * @license Apache-2.0
  *
  * Copyright (c) 2018 The Stdlib Authors.
  *
  * Licensed under the Apache License, Version 2.0 (the "License");
  * you may not use this file except in compliance with the License.
  * You may obtain a copy of the License at
  *
  *    http://www.apache.org/licenses/LICENSE-2.0
  *
  * Unless required by applicable law or agreed to in writing, software
  * distributed under the License is distributed on an "AS IS" BASIS,
  * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
  * See the License for the specific language governing permissions and
  * limitations under the License.
  *)

@stdlib/constants-float64-high-word-sign-mask/lib/index.js:
@stdlib/constants-float64-high-word-abs-mask/lib/index.js:
@stdlib/string-base-format-interpolate/lib/is_number.js:
@stdlib/string-base-format-interpolate/lib/zero_pad.js:
@stdlib/string-base-format-interpolate/lib/format_integer.js:
@stdlib/string-base-format-interpolate/lib/is_string.js:
@stdlib/string-base-format-interpolate/lib/format_double.js:
@stdlib/string-base-format-interpolate/lib/space_pad.js:
@stdlib/string-base-format-interpolate/lib/main.js:
@stdlib/string-base-format-interpolate/lib/index.js:
@stdlib/string-base-format-tokenize/lib/main.js:
@stdlib/string-base-format-tokenize/lib/index.js:
@stdlib/string-format/lib/is_string.js:
@stdlib/string-format/lib/main.js:
@stdlib/string-format/lib/index.js:
@stdlib/math-base-special-exp/lib/polyval_p.js:
@stdlib/math-base-special-erfc/lib/polyval_pp.js:
@stdlib/math-base-special-erfc/lib/polyval_qq.js:
@stdlib/math-base-special-erfc/lib/polyval_pa.js:
@stdlib/math-base-special-erfc/lib/polyval_qa.js:
@stdlib/math-base-special-erfc/lib/polyval_ra.js:
@stdlib/math-base-special-erfc/lib/polyval_sa.js:
@stdlib/math-base-special-erfc/lib/polyval_rb.js:
@stdlib/math-base-special-erfc/lib/polyval_sb.js:
  (**
  * @license Apache-2.0
  *
  * Copyright (c) 2022 The Stdlib Authors.
  *
  * Licensed under the Apache License, Version 2.0 (the "License");
  * you may not use this file except in compliance with the License.
  * You may obtain a copy of the License at
  *
  *    http://www.apache.org/licenses/LICENSE-2.0
  *
  * Unless required by applicable law or agreed to in writing, software
  * distributed under the License is distributed on an "AS IS" BASIS,
  * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
  * See the License for the specific language governing permissions and
  * limitations under the License.
  *)

@stdlib/utils-define-property/lib/define_property.js:
@stdlib/utils-define-property/lib/has_define_property_support.js:
@stdlib/math-base-special-abs/lib/main.js:
  (**
  * @license Apache-2.0
  *
  * Copyright (c) 2021 The Stdlib Authors.
  *
  * Licensed under the Apache License, Version 2.0 (the "License");
  * you may not use this file except in compliance with the License.
  * You may obtain a copy of the License at
  *
  *    http://www.apache.org/licenses/LICENSE-2.0
  *
  * Unless required by applicable law or agreed to in writing, software
  * distributed under the License is distributed on an "AS IS" BASIS,
  * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
  * See the License for the specific language governing permissions and
  * limitations under the License.
  *)

@stdlib/math-base-special-exp/lib/expmulti.js:
@stdlib/math-base-special-exp/lib/main.js:
  (**
  * @license Apache-2.0
  *
  * Copyright (c) 2018 The Stdlib Authors.
  *
  * Licensed under the Apache License, Version 2.0 (the "License");
  * you may not use this file except in compliance with the License.
  * You may obtain a copy of the License at
  *
  *    http://www.apache.org/licenses/LICENSE-2.0
  *
  * Unless required by applicable law or agreed to in writing, software
  * distributed under the License is distributed on an "AS IS" BASIS,
  * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
  * See the License for the specific language governing permissions and
  * limitations under the License.
  *
  *
  * ## Notice
  *
  * The following copyrights, licenses, and long comment were part of the original implementation available as part of [Go]{@link https://github.com/golang/go/blob/cb07765045aed5104a3df31507564ac99e6ddce8/src/math/exp.go}, which in turn was based on an implementation available as part of [FreeBSD]{@link https://svnweb.freebsd.org/base/release/9.3.0/lib/msun/src/e_exp.c}. The implementation follows the original, but has been modified for JavaScript.
  *
  * ```text
  * Copyright (c) 2009 The Go Authors. All rights reserved.
  *
  * Redistribution and use in source and binary forms, with or without
  * modification, are permitted provided that the following conditions are
  * met:
  *
  *    * Redistributions of source code must retain the above copyright
  * notice, this list of conditions and the following disclaimer.
  *    * Redistributions in binary form must reproduce the above
  * copyright notice, this list of conditions and the following disclaimer
  * in the documentation and/or other materials provided with the
  * distribution.
  *    * Neither the name of Google Inc. nor the names of its
  * contributors may be used to endorse or promote products derived from
  * this software without specific prior written permission.
  *
  * THIS SOFTWARE IS PROVIDED BY THE COPYRIGHT HOLDERS AND CONTRIBUTORS
  * "AS IS" AND ANY EXPRESS OR IMPLIED WARRANTIES, INCLUDING, BUT NOT
  * LIMITED TO, THE IMPLIED WARRANTIES OF MERCHANTABILITY AND FITNESS FOR
  * A PARTICULAR PURPOSE ARE DISCLAIMED. IN NO EVENT SHALL THE COPYRIGHT
  * OWNER OR CONTRIBUTORS BE LIABLE FOR ANY DIRECT, INDIRECT, INCIDENTAL,
  * SPECIAL, EXEMPLARY, OR CONSEQUENTIAL DAMAGES (INCLUDING, BUT NOT
  * LIMITED TO, PROCUREMENT OF SUBSTITUTE GOODS OR SERVICES; LOSS OF USE,
  * DATA, OR PROFITS; OR BUSINESS INTERRUPTION) HOWEVER CAUSED AND ON ANY
  * THEORY OF LIABILITY, WHETHER IN CONTRACT, STRICT LIABILITY, OR TORT
  * (INCLUDING NEGLIGENCE OR OTHERWISE) ARISING IN ANY WAY OUT OF THE USE
  * OF THIS SOFTWARE, EVEN IF ADVISED OF THE POSSIBILITY OF SUCH DAMAGE.
  * ```
  *
  * ```text
  * Copyright (C) 2004 by Sun Microsystems, Inc. All rights reserved.
  *
  * Developed at SunPro, a Sun Microsystems, Inc. business.
  * Permission to use, copy, modify, and distribute this
  * software is freely granted, provided that this notice
  * is preserved.
  * ```
  *)

@stdlib/math-base-special-erfc/lib/main.js:
  (**
  * @license Apache-2.0
  *
  * Copyright (c) 2018 The Stdlib Authors.
  *
  * Licensed under the Apache License, Version 2.0 (the "License");
  * you may not use this file except in compliance with the License.
  * You may obtain a copy of the License at
  *
  *    http://www.apache.org/licenses/LICENSE-2.0
  *
  * Unless required by applicable law or agreed to in writing, software
  * distributed under the License is distributed on an "AS IS" BASIS,
  * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
  * See the License for the specific language governing permissions and
  * limitations under the License.
  *
  *
  * ## Notice
  *
  * The following copyright, license, and long comment were part of the original implementation available as part of [FreeBSD]{@link https://svnweb.freebsd.org/base/release/9.3.0/lib/msun/src/s_erf.c}. The implementation follows the original, but has been modified for JavaScript.
  *
  * ```text
  * Copyright (C) 1993 by Sun Microsystems, Inc. All rights reserved.
  *
  * Developed at SunPro, a Sun Microsystems, Inc. business.
  * Permission to use, copy, modify, and distribute this
  * software is freely granted, provided that this notice
  * is preserved.
  * ```
  *)
*/
